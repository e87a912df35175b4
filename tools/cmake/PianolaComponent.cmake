# SPDX-License-Identifier: Apache-2.0

# pianola_component(<name> [ROOT <dir>]
#                   [DEPENDS <component>...] [PRIVATE_DEPENDS <component>...])
#
# Makes, from <dir>/include and <dir>/src (default: the current folder),
#   pianola_<name>_headers  the component's include root and those of DEPENDS, nothing to link;
#   pianola_<name>          its code: a static library, or an interface while src/ holds no sources. With PIANOLA_BUILT_IN
#                           there is none.
# DEPENDS are components whose headers this one's public headers include, PRIVATE_DEPENDS those that only
# its sources include. Nothing else is on the include path, so a forbidden include does not compile.
#
# Code that runs beside libpianola.so (plugins, tests of the runtime) takes the *_headers targets and links
# pianola_runtime: linking a static component as well would give the process a second copy of its state.
function(pianola_component name)
  cmake_parse_arguments(PARSE_ARGV 1 c "" "ROOT" "DEPENDS;PRIVATE_DEPENDS")
  if(c_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pianola_component(${name}): unknown arguments: ${c_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT c_ROOT)
    set(c_ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()

  add_library(pianola_${name}_headers INTERFACE)
  target_include_directories(pianola_${name}_headers INTERFACE "$<BUILD_INTERFACE:${c_ROOT}/include>")
  target_compile_features(pianola_${name}_headers INTERFACE cxx_std_17)
  list(TRANSFORM c_DEPENDS REPLACE "^(.+)$" "pianola_\\1_headers" OUTPUT_VARIABLE header_targets)
  target_link_libraries(pianola_${name}_headers INTERFACE ${header_targets})

  if(PIANOLA_BUILT_IN)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${c_ROOT}/src/*.cpp")
  list(TRANSFORM c_DEPENDS PREPEND "pianola_" OUTPUT_VARIABLE dependencies)
  list(TRANSFORM c_PRIVATE_DEPENDS PREPEND "pianola_" OUTPUT_VARIABLE private_dependencies)
  if(sources)
    add_library(pianola_${name} STATIC ${sources})
    target_include_directories(pianola_${name} PRIVATE "${c_ROOT}/src")
    target_link_libraries(pianola_${name} PUBLIC pianola_${name}_headers ${dependencies}
                          PRIVATE ${private_dependencies} ${PIANOLA_PRIVATE_LIBRARIES})
    pianola_library_code(pianola_${name})
    pianola_precompile(pianola_${name})
    pianola_join(pianola_${name})
  else()
    add_library(pianola_${name} INTERFACE)
    target_link_libraries(pianola_${name} INTERFACE pianola_${name}_headers ${dependencies}
                          ${private_dependencies})
  endif()
endfunction()

option(PIANOLA_PRECOMPILE "Read the standard library's headers once per component; OFF shows what a file forgets to include" OFF)
mark_as_advanced(PIANOLA_PRECOMPILE)

# pianola_precompile(<target> <header>...): for targets of many files, of which each spends half of its time on these.
function(pianola_precompile target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(NOT PIANOLA_PRECOMPILE OR count LESS 8)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <cstdint> <functional> <memory> <mutex> <optional> <string>
                            <string_view> <unordered_map> <utility> <variant> <vector> ${ARGN})
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

set(PIANOLA_JOINED_SOURCES 16 CACHE STRING "How many sources of a component are compiled together; 1 while one works on them")
mark_as_advanced(PIANOLA_JOINED_SOURCES)

# pianola_join(<target>): most of what a source costs is in the headers that its neighbours include, too. Names in
# anonymous namespaces must therefore differ within a component.
function(pianola_join target)
  if(PIANOLA_JOINED_SOURCES GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${PIANOLA_JOINED_SOURCES})
    # A source that is included looks like a header to g++, which then wonders at its anonymous namespaces.
    target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
  endif()
endfunction()

# Settings for code that ends up in libpianola.so or one of its plugins.
function(pianola_library_code target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # The library never wants its own functions replaced from outside, so the compiler may inline them.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  target_link_options(${target} PRIVATE -Wl,--as-needed)
endfunction()

# pianola_plugin(<name> DEPENDS <component>...): a backend that the runtime loads at run time from
# <libdir>/pianola/. It shares the components' code with the runtime through libpianola.so.
function(pianola_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 c "" "" "DEPENDS")
  set(root "${CMAKE_CURRENT_SOURCE_DIR}")
  add_library(pianola_${name}_headers INTERFACE)
  target_include_directories(pianola_${name}_headers INTERFACE "$<BUILD_INTERFACE:${root}/include>")
  list(TRANSFORM c_DEPENDS REPLACE "^(.+)$" "pianola_\\1_headers" OUTPUT_VARIABLE header_targets)
  target_link_libraries(pianola_${name}_headers INTERFACE ${header_targets})

  if(PIANOLA_BUILT_IN)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${root}/src/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_library(pianola_${name} MODULE ${sources})
  target_include_directories(pianola_${name} PRIVATE "${root}/src")
  # The runtime's library without its headers: a backend must not include the runtime.
  target_link_libraries(pianola_${name} PRIVATE pianola_${name}_headers
                        "$<TARGET_LINKER_FILE:pianola_runtime>" ${PIANOLA_PRIVATE_LIBRARIES})
  add_dependencies(pianola_${name} pianola_runtime)
  pianola_library_code(pianola_${name})
  pianola_precompile(pianola_${name})
  pianola_join(pianola_${name})
  set_target_properties(pianola_${name} PROPERTIES
    OUTPUT_NAME "pianola-${name}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/pianola"
    BUILD_RPATH "${PROJECT_BINARY_DIR}/lib"
    INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS pianola_${name}
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/pianola" COMPONENT runtime)
  set_property(GLOBAL APPEND PROPERTY PIANOLA_PLUGINS pianola_${name})
endfunction()
