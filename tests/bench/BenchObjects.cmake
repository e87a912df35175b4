# SPDX-License-Identifier: Apache-2.0
# Objects of one benchmark program that other compilers make than the one of this build.

# pianola_bench_compiler(<variable> <compiler>): how it is called, through ccache where that is there.
function(pianola_bench_compiler variable compiler)
  set(${variable} ${CMAKE_CXX_COMPILER_LAUNCHER} "${compiler}" PARENT_SCOPE)
  if(compiler STREQUAL "pianolacc")
    set(${variable} ${PIANOLACC_LAUNCHER} "$<TARGET_FILE:pianolacc>" PARENT_SCOPE)
  endif()
endfunction()

# pianola_bench_header(<side> <compiler> <flag>...): <sycl/sycl.hpp>, read once for all objects of a side: most of what
# each costs. `compiler` is a program, or the target pianolacc.
function(pianola_bench_header side compiler)
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${side}/sycl.hpp")
  file(CONFIGURE OUTPUT "${header}" CONTENT "#include <sycl/sycl.hpp>\n")
  pianola_bench_compiler(call "${compiler}")
  add_custom_command(
    OUTPUT "${header}.pch"
    COMMAND ${call} ${ARGN} -Xclang -fno-pch-timestamp -x c++-header "${header}" -MD -MF "${header}.pch.d" -o "${header}.pch"
    DEPENDS $<$<STREQUAL:${compiler},pianolacc>:pianolacc>
    DEPFILE "${header}.pch.d"
    COMMENT "Precompiling <sycl/sycl.hpp> for ${side}" VERBATIM)
endfunction()

# pianola_bench_object(<list> <name> <source> <compiler> [HEADER <side>] FLAGS <flag>...): appends the object to the list
# that is named. With HEADER, the flags are those of that side's header, and what matters to this source alone.
function(pianola_bench_object list name source compiler)
  cmake_parse_arguments(PARSE_ARGV 4 o "" "HEADER" "FLAGS")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  set(header)
  set(include)
  if(o_HEADER)
    set(header "${CMAKE_CURRENT_BINARY_DIR}/${o_HEADER}/sycl.hpp.pch")
    set(include -Xclang -fno-pch-timestamp -include-pch "${header}")
  endif()
  pianola_bench_compiler(call "${compiler}")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${call} ${o_FLAGS} ${include} -MD -MF "${output}.d" -c "${source}" -o "${output}"
    DEPENDS "${source}" ${header} $<$<STREQUAL:${compiler},pianolacc>:pianolacc>
    DEPFILE "${output}.d"
    COMMENT "Compiling ${name}" VERBATIM)
  set(${list} ${${list}} "${output}" PARENT_SCOPE)
endfunction()
