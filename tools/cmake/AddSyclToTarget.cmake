# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

option(PIANOLA_USE_COMPILER
       "Let add_sycl_to_target compile with pianolacc where the C++ compiler is clang 19" ON)

# add_sycl_to_target(TARGET <target> [SOURCES <file>...] [TARGETS <device>...])
#
# Makes <target> a SYCL program or library: it sees the SYCL headers, links Pianola and compiles as C++17 or
# whatever newer standard it asks for itself. SOURCES names the files with kernels and may be left out. No
# optimisation, warning or floating-point flag is touched.
#
# Who compiles its C++ sources, all of them, because a target has one compiler:
# - pianolacc, if it is the C++ compiler of the project (CMAKE_CXX_COMPILER), or if that is clang 19, this
#   Pianola has pianolacc and PIANOLA_USE_COMPILER is on; it also links where there are TARGETS, since kernels that call
#   SYCL_EXTERNAL functions get their code for devices then (CMake 3.21 or newer);
# - else the project's compiler, for the processor only. Flags of another compiler might mean nothing to clang.
#
# TARGETS names devices to compile kernels for besides the processor, such as cuda:sm_90, hip:gfx90a or
# simulated; the default is the list in the variable PIANOLA_TARGETS. They need pianolacc.
function(add_sycl_to_target)
  set(usage "add_sycl_to_target(TARGET <target> [SOURCES <file>...] [TARGETS <device>...])")
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "SOURCES;TARGETS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_sycl_to_target: unknown arguments: ${arg_UNPARSED_ARGUMENTS}; use ${usage}")
  endif()
  if(NOT arg_TARGET)
    message(FATAL_ERROR "add_sycl_to_target: no TARGET; use ${usage}")
  endif()
  if(NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "add_sycl_to_target: there is no target '${arg_TARGET}'; "
                        "call this after add_executable or add_library")
  endif()

  get_target_property(type ${arg_TARGET} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    if(arg_TARGETS)
      message(FATAL_ERROR "add_sycl_to_target: the interface library '${arg_TARGET}' compiles nothing; "
                          "give TARGETS for the targets that use it")
    endif()
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
  if(NOT arg_TARGETS)
    set(arg_TARGETS ${PIANOLA_TARGETS})
  endif()
  _pianola_choose_compiler(${arg_TARGET} "${arg_TARGETS}")
endfunction()

function(_pianola_choose_compiler target devices)
  list(REMOVE_ITEM devices host)
  set(options "")
  if(devices)
    list(JOIN devices "," list)  # a semicolon would end the argument
    set(options "--pianola-targets=${list}")
  endif()

  if(CMAKE_CXX_COMPILER MATCHES "(^|/)pianolacc$")
    if(options)
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${options}>")
    endif()
    return()
  endif()

  get_property(pianolacc GLOBAL PROPERTY _PIANOLA_COMPILER)
  set(why_not "")
  if(NOT pianolacc)
    set(why_not "this Pianola was built without it (PIANOLA_COMPILER=OFF)")
  elseif(NOT PIANOLA_USE_COMPILER)
    set(why_not "PIANOLA_USE_COMPILER is off")
  elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CXX_COMPILER_VERSION MATCHES "^19\\.")
    string(CONCAT why_not "the C++ compiler, ${CMAKE_CXX_COMPILER}, is not clang 19; "
                          "configure with -DCMAKE_CXX_COMPILER=${pianolacc} or with clang++-19")
  elseif(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    string(CONCAT why_not "the generator ${CMAKE_GENERATOR} has no compiler launchers; "
                          "configure with -DCMAKE_CXX_COMPILER=${pianolacc}")
  endif()
  if(why_not)
    if(devices)
      message(FATAL_ERROR "add_sycl_to_target: '${target}' is to be compiled for ${devices}, which only "
                          "pianolacc can do, and it is not used: ${why_not}")
    endif()
    get_property(told GLOBAL PROPERTY _PIANOLA_TOLD)
    if(pianolacc AND NOT told)
      set_property(GLOBAL PROPERTY _PIANOLA_TOLD TRUE)
      message(STATUS "Pianola: kernels are compiled without pianolacc: ${why_not}")
    endif()
    return()
  endif()

  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(NOT launcher)
    set(launcher "")
  elseif(launcher MATCHES "--pianola-launch=")
    return()
  endif()
  # The headers are those of Pianola::sycl.
  set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER
               "${pianolacc}" --pianola-no-headers ${options} "--pianola-launch=${CMAKE_CXX_COMPILER}"
               ${launcher})
  if(options AND CMAKE_VERSION VERSION_GREATER_EQUAL 3.21)
    get_target_property(launcher ${target} CXX_LINKER_LAUNCHER)
    if(NOT launcher)
      set(launcher "")
    endif()
    # The library is that of Pianola::sycl.
    set_property(TARGET ${target} PROPERTY CXX_LINKER_LAUNCHER
                 "${pianolacc}" --pianola-no-link "--pianola-launch=${CMAKE_CXX_COMPILER}" ${launcher})
  endif()
  if(TARGET pianolacc)
    add_dependencies(${target} pianola_compiler_sum)
  endif()
endfunction()
