# SPDX-License-Identifier: Apache-2.0
# Debian packages: `cpack -G DEB` in a build folder. One for each install component; what they link is found out by
# dpkg-shlibdeps.
set(CPACK_PACKAGE_NAME pianola)
set(CPACK_PACKAGE_VENDOR "The Pianola project")
set(CPACK_PACKAGE_CONTACT "The Pianola project <pianola@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 2)
set(CPACK_COMPONENTS_ALL runtime development tools)
if(TARGET pianolacc)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
endif()
if(TARGET pianola_planner_library)
  list(APPEND CPACK_COMPONENTS_ALL planner planner_development)
endif()
if(TARGET pianola_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(version "${PROJECT_VERSION}-1")

set(runtime "libpianola${PROJECT_VERSION_MAJOR}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "SYCL 2020 runtime with a command-graph scheduler\n The library and its device plugins, which programs built with Pianola load.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpianola-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${runtime} (= ${version})")
if(TARGET pianola_planner_library)  # which has the CMake package's common part
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libpianola-planner-dev (= ${version})")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "pianolacc")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "SYCL 2020 headers of Pianola\n Headers, CMake package and pkg-config file to build SYCL programs with Pianola.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME pianola-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${runtime} (= ${version})")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
    "Command-line program of Pianola\n Shows devices, and command graphs and plans that were saved to files.")

set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME pianolacc)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION devel)
# The clang that the driver runs, and what that loads to link for devices.
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "libpianola-dev (= ${version}), clang-19, lld-19")
set(CPACK_DEBIAN_COMPILER_PACKAGE_RECOMMENDS "rocm-device-libs")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION
    "Ahead-of-time compiler for SYCL 2020\n Compiles the kernels of SYCL programs for CPUs, NVIDIA and AMD graphics processors.")

set(planner "libpianola-planner${PROJECT_VERSION_MAJOR}")
set(CPACK_DEBIAN_PLANNER_PACKAGE_NAME ${planner})
set(CPACK_DEBIAN_PLANNER_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_PLANNER_DESCRIPTION
    "Planning of command graphs, without SYCL\n The library that programs load which plan and simulate graphs of commands.")
set(CPACK_DEBIAN_PLANNER_DEVELOPMENT_PACKAGE_NAME libpianola-planner-dev)
set(CPACK_DEBIAN_PLANNER_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PLANNER_DEVELOPMENT_PACKAGE_DEPENDS "${planner} (= ${version})")
set(CPACK_COMPONENT_PLANNER_DEVELOPMENT_DESCRIPTION
    "Planning of command graphs: headers\n Headers and CMake package to build programs that plan and simulate graphs of commands.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-pianola)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
if(TARGET pianola_python)  # its compiled part is for one version
  get_target_property(minor pianola_python PIANOLA_PYTHON_MINOR)
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${minor}~), python3 (<< 3.${next}~)")
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-matplotlib, python3-pandas")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "Planning of command graphs in Python\n Builds or reads graphs of commands, plans, simulates and explains them; tables and plots.")
include(CPack)
