# SPDX-License-Identifier: Apache-2.0
# Installation and the CMake package, for an install prefix and for the build tree. The install components are runtime
# (what a compiled program needs), development, tools, compiler, planner and planner_development (planning without SYCL,
# and the parts of the CMake package that both have) and python; each is a Debian package, see PianolaPackages.

# A folder of our own below include/: <sycl/sycl.hpp> must not hide another implementation's in a shared prefix.
set(include_dir "${CMAKE_INSTALL_INCLUDEDIR}/Pianola")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Pianola")

foreach(root sycl executors/runtime recorder/model compiler/abi)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${root}/include/" DESTINATION "${include_dir}"
          COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
endforeach()
target_include_directories(pianola_runtime INTERFACE "$<INSTALL_INTERFACE:${include_dir}>")
target_include_directories(pianola_sycl INTERFACE "$<INSTALL_INTERFACE:${include_dir}>")

install(TARGETS pianola_runtime pianola_sycl EXPORT PianolaTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development)
install(EXPORT PianolaTargets NAMESPACE Pianola:: DESTINATION "${package_dir}" COMPONENT development)
export(EXPORT PianolaTargets NAMESPACE Pianola::
       FILE "${PROJECT_BINARY_DIR}/package/PianolaTargets.cmake")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/PianolaConfig.cmake.in" "${PROJECT_BINARY_DIR}/package/PianolaConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/PianolaConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
configure_file("${CMAKE_CURRENT_LIST_DIR}/AddSyclToTarget.cmake"
               "${PROJECT_BINARY_DIR}/package/AddSyclToTarget.cmake" COPYONLY)
set(common development)
if(TARGET pianola_planner_library)
  set(common planner_development)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/planner/library/include/" DESTINATION "${include_dir}"
          COMPONENT planner_development FILES_MATCHING PATTERN "*.hpp")
  target_include_directories(pianola_planner_library INTERFACE "$<INSTALL_INTERFACE:${include_dir}>")
  install(TARGETS pianola_planner_library EXPORT PianolaPlannerTargets
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT planner NAMELINK_COMPONENT planner_development)
  install(EXPORT PianolaPlannerTargets NAMESPACE Pianola:: DESTINATION "${package_dir}" COMPONENT planner_development)
  export(EXPORT PianolaPlannerTargets NAMESPACE Pianola::
         FILE "${PROJECT_BINARY_DIR}/package/PianolaPlannerTargets.cmake")
endif()
install(FILES "${PROJECT_BINARY_DIR}/package/PianolaConfig.cmake"
              "${PROJECT_BINARY_DIR}/package/PianolaConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT ${common})
install(FILES "${PROJECT_BINARY_DIR}/package/AddSyclToTarget.cmake"
        DESTINATION "${package_dir}" COMPONENT development)
install(FILES "${CMAKE_CURRENT_LIST_DIR}/FindSYCL.cmake"
        DESTINATION "${package_dir}/modules" COMPONENT development)

# pkg-config: found from the file's own folder, so that a prefix can be moved.
file(RELATIVE_PATH prefix_from_pkgconfig "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/pianola.pc.in" "${PROJECT_BINARY_DIR}/package/pianola.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/pianola.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
