# SPDX-License-Identifier: Apache-2.0
# Third-party libraries. All of them stay inside the library: no public header names one, so a program
# that uses Pianola needs none of their headers.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)  # and headers alone: Asio and Beast, of the program `pianola`
if(PIANOLA_BUILD_BENCHMARKS)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
endif()

find_path(PIANOLA_HWLOC_INCLUDE_DIR hwloc.h)
find_library(PIANOLA_HWLOC_LIBRARY hwloc)
mark_as_advanced(PIANOLA_HWLOC_INCLUDE_DIR PIANOLA_HWLOC_LIBRARY)
if(NOT PIANOLA_HWLOC_INCLUDE_DIR OR NOT PIANOLA_HWLOC_LIBRARY)
  message(FATAL_ERROR "hwloc not found: install libhwloc-dev, or run tools/install-packages.sh")
endif()
add_library(pianola_hwloc INTERFACE)
target_include_directories(pianola_hwloc SYSTEM INTERFACE "${PIANOLA_HWLOC_INCLUDE_DIR}")
target_link_libraries(pianola_hwloc INTERFACE "${PIANOLA_HWLOC_LIBRARY}")

# fmt without its library, whose names would meet those of a program's own copy.
add_library(pianola_fmt STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/recorder/formats/fmt_library.cpp")
target_include_directories(pianola_fmt SYSTEM PUBLIC "$<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>")
set_target_properties(pianola_fmt PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

# What any component's sources may use; recorded once, so that components do not differ in it.
set(PIANOLA_PRIVATE_LIBRARIES pianola_fmt nlohmann_json::nlohmann_json pianola_hwloc
    Boost::context Threads::Threads ${CMAKE_DL_LIBS})
