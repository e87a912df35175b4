# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# add_sycl_to_target(TARGET <target> [SOURCES <file>...])
#
# Makes <target> a SYCL program or library: it sees the SYCL headers, links Pianola and compiles as C++17 or
# whatever newer standard it asks for itself. SOURCES names the files with kernels; any C++ compiler can
# compile them, so it changes nothing here and may be left out. No optimisation, warning or floating-point
# flag is touched.
function(add_sycl_to_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_sycl_to_target: unknown arguments: ${arg_UNPARSED_ARGUMENTS}; "
                        "use add_sycl_to_target(TARGET <target> SOURCES <file>...)")
  endif()
  if(NOT arg_TARGET)
    message(FATAL_ERROR "add_sycl_to_target: no TARGET; "
                        "use add_sycl_to_target(TARGET <target> SOURCES <file>...)")
  endif()
  if(NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "add_sycl_to_target: there is no target '${arg_TARGET}'; "
                        "call this after add_executable or add_library")
  endif()

  get_target_property(type ${arg_TARGET} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_compile_features(${arg_TARGET} INTERFACE cxx_std_17)
    set_property(TARGET ${arg_TARGET} APPEND PROPERTY INTERFACE_LINK_LIBRARIES Pianola::sycl)
    return()
  endif()
  target_compile_features(${arg_TARGET} PRIVATE cxx_std_17)
  # The properties, and not target_link_libraries: CMake refuses to mix its plain and its keyword form on
  # one target, and which one the project uses is not known here.
  set_property(TARGET ${arg_TARGET} APPEND PROPERTY LINK_LIBRARIES Pianola::sycl)
  if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
    set_property(TARGET ${arg_TARGET} APPEND PROPERTY INTERFACE_LINK_LIBRARIES
                 "$<LINK_ONLY:Pianola::sycl>")
  endif()
endfunction()
