#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# checked_accesses_test.sh TEST PIANOLACC CLANG WORK LIBRARY_FOLDER INCLUDE_FOLDER...
# Runs test_TEST.
set -eu
test=$1 pianolacc=$2 clang=$3 work=$4 library=$5
shift 5
includes=()
for folder in "$@"; do includes+=("-I$folder"); done
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
checked=("$pianolacc" -std=c++17 --pianola-check-accesses)

# The last argument is the program, those before go to the compiler.
compile_checked() { "${checked[@]}" "${@:1:$#-1}" -o "${!#}"; }

test_unoptimised_program_is_told_of_every_access_beyond() {
  compile_checked -O0 "$here/beyond.cpp" "$work/program"
  PIANOLA_DEVICES=openmp "$work/program"
}

test_optimised_program_is_told_of_every_access_beyond() {
  compile_checked -O3 "$here/beyond.cpp" "$work/program"
  PIANOLA_DEVICES=openmp "$work/program"
  PIANOLA_DEVICES=simulated:2:separate "$work/program"
}

test_any_compiler_compares_subscripts() {
  "$clang" -std=c++17 -O1 -w -DPIANOLA_CHECK_ACCESSES "${includes[@]}" "$here/beyond.cpp" -L"$library" -lpianola \
    "-Wl,-rpath,$library" -o "$work/program"
  PIANOLA_DEVICES=openmp "$work/program"
}

test_code_for_devices_is_not_changed() {
  compile_checked -O1 --pianola-targets=simulated "$here/right.cpp" "$work/program"
  PIANOLA_DEVICES=simulated:1 "$work/program"
}

test_pointers_may_go_where_the_accessor_says_and_nowhere_else() {
  compile_checked -O1 "$here/random_boxes.cpp" "$work/program"
  PIANOLA_DEVICES=openmp "$work/program"
}

# Inline functions of both files have the same names: whichever the linker takes, they fit.
test_checked_and_other_files_are_one_program() {
  for first in checked other; do
    for level in 0 2; do
      "${checked[@]}" -O$level -DCHECKED -c "$here/mixed.cpp" -o "$work/checked.o"
      "$pianolacc" -std=c++17 -O$level -c "$here/mixed.cpp" -o "$work/other.o"
      second=other
      [ $first = other ] && second=checked
      "$pianolacc" "$work/$first.o" "$work/$second.o" -o "$work/program"
      PIANOLA_DEVICES=openmp "$work/program"
    done
  done
}

"test_$test"
