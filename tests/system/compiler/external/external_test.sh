#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# external_test.sh NAME PIANOLACC OBJECTS WORK: runs NAME in the empty folder WORK. compile_objects makes those that the
# others link, in OBJECTS. run_... need the test double of a driver, test_... do not.
set -eu -o pipefail
name=$1 pianolacc=$2 objects=$3 work=$4
sources=$(cd "$(dirname "$0")" && pwd)/sources
unset PIANOLA_TARGETS PIANOLA_CLANG
export LC_ALL=C
. "$sources/../../../../support/in_work.sh"

# compile SOURCE OPTION...: to SOURCE.o, for the device that the test doubles have.
compile() {
  local source=$1
  shift
  "$pianolacc" -std=c++17 -O1 -fPIC -I"$sources" --pianola-targets=simulated "$@" -c "$source" -o "$(basename "$source" .cpp).o"
}

# unit NAME OPTION... <CODE: makes NAME.cpp of the code and compiles it.
unit() {
  cat >"$1.cpp"
  compile "./$1.cpp" "${@:2}"
}

on_device() { PIANOLA_DEVICES=cuda "$@"; }
on_host() { PIANOLA_DEVICES=openmp "$@"; }

# says TEXT PART...
says() {
  local text=$1 part
  for part in "${@:2}"; do [[ $text == *"$part"* ]] || fail "no '$part' in: $text"; done
}

# refused COMMAND...: fails; prints what it said.
refused() {
  local text
  if text=$("$@" 2>&1); then fail "no error: $*"; fi
  echo "$text"
}

section_of() { readelf -SW "$1" 2>/dev/null | grep -F "$2" >/dev/null; }

compile_objects() {
  local source
  rm -rf "$objects"
  mkdir "$objects"
  cd "$objects"
  for source in main twice table ping pong tables groups; do compile "$sources/$source.cpp"; done
}

# What main.cpp prints where all is well.
wanted=$'4096\n5'

run_two_units() {
  "$pianolacc" "$objects/main.o" "$objects/twice.o" -o program
  expect "$wanted" on_device ./program
  expect "$wanted" on_host ./program
  section_of program .pianola.device && fail "there is bitcode in the program"
  # In any order.
  "$pianolacc" "$objects/twice.o" "$objects/main.o" -o program
  expect "$wanted" on_device ./program
}

run_many_units() {
  local units=()
  for unit in tables groups table ping pong twice; do units+=("$objects/$unit.o"); done
  "$pianolacc" "${units[@]}" -o program
  expect $'as on the host\n64\n240' on_device ./program
  expect $'as on the host\n64\n240' on_host ./program
}

run_one_step() {
  "$pianolacc" -std=c++17 -O2 -g -I"$sources" --pianola-targets=simulated "$sources/main.cpp" "$sources/twice.cpp" -o program
  expect "$wanted" on_device ./program
}

run_link_time_optimisation() {
  compile "$sources/main.cpp" -flto
  compile "$sources/twice.cpp" -flto=thin
  "$pianolacc" -flto -fuse-ld=lld main.o twice.o -o program
  expect "$wanted" on_device ./program
}

run_other_linkers() {
  local linker
  for linker in lld gold bfd; do
    [ "$(refused "$pianolacc" "-fuse-ld=$linker" none.o -o none | grep -c 'invalid linker name')" = 0 ] || continue
    "$pianolacc" "-fuse-ld=$linker" -Wl,--gc-sections "$objects/main.o" "$objects/twice.o" -o program
    expect "$wanted" on_device ./program
    rm program
  done
}

run_objects_that_were_put_together() {
  local linker
  for linker in bfd lld; do
    "$pianolacc" "-fuse-ld=$linker" -r "$objects/twice.o" "$objects/main.o" -o both.o
    "$pianolacc" both.o -o program
    expect "$wanted" on_device ./program
  done
}

run_static_library() {
  # A member that is not linked is no matter, whatever it defines and calls.
  unit alone <<'CODE'
#include <sycl/version.hpp>
SYCL_EXTERNAL int nowhere(int);
SYCL_EXTERNAL int twice(int x) { return nowhere(x); }
CODE
  # Two members of one name.
  mkdir other
  cp "$objects/pong.o" other/twice.o
  ar qc libalone.a alone.o
  ar qc libfunctions.a "$objects/twice.o"
  ar q libfunctions.a other/twice.o "$objects/ping.o"
  "$pianolacc" "$objects/main.o" -L. -lfunctions -lalone -o program
  expect "$wanted" on_device ./program
  # Kernels in a library, and in a thin one.
  ar rcT libkernels.a "$objects/tables.o" "$objects/groups.o"
  "$pianolacc" -Wl,--start-group libkernels.a libfunctions.a -Wl,--end-group "$objects/table.o" -o program
  expect $'as on the host\n64\n240' on_device ./program
}

run_shared_library() {
  "$pianolacc" -shared "$objects/groups.o" "$objects/twice.o" "$objects/tables.o" "$objects/table.o" "$objects/ping.o" \
    "$objects/pong.o" -Wl,-soname,libtables.so -o libtables.so
  "$pianolacc" -L. -ltables "$objects/twice.o" "-Wl,-rpath,$work" -o program
  expect $'as on the host\n64\n240' on_device ./program
}

run_linked_by_another() {
  local text library
  library=$("$pianolacc" --pianola-dry-run a.o | grep -oE ' -L[^ ]+' | head -n 1)
  library=${library# -L}
  "${CXX:-c++}" "$objects/main.o" "$objects/twice.o" -L"$library" -Wl,-rpath,"$library" -lpianola -o program
  text=$(on_device ./program)
  says "$text" "kernel '(lambda at main.cpp:11" "it calls 'twice(int)', which another translation unit defines" "link with pianolacc"
  [ "${text##*$'\n'}" = 5 ] || fail "the kernel without such a call has no image: $text"
  expect "$wanted" on_host ./program
  section_of program .pianola.device && fail "there is bitcode in the program"
  return 0
}

run_units_for_several_targets() {
  # Each kernel for what its unit is compiled for; functions for all that ask for them.
  compile "$sources/twice.cpp" --pianola-targets=hip:gfx90a
  "$pianolacc" "$objects/main.o" twice.o --pianola-save-temps=temps -o program
  expect "$wanted" on_device ./program
  [ -s temps/program-pianola-sim.so ] || fail "kept: $(ls temps)"
  grep -q 'define .*twice' temps/program-linked.ll || fail "there is no linked module: $(ls temps)"
  [ -s temps/program-kernels.facts ] || fail "nothing is known: $(ls temps)"
}

test_amdgpu() {
  [ -d /usr/lib/x86_64-linux-gnu/amdgcn ] || exit 77
  compile "$sources/main.cpp" --pianola-targets=hip:gfx90a
  "$pianolacc" main.o "$objects/twice.o" --pianola-save-temps=. -o program
  [ -n "$(ls program-*gfx90a*)" ] || fail "made: $(ls)"
  strings -n 4 program | grep gfx90a >/dev/null || fail "there is no image for gfx90a"
}

test_ptx() {
  local status=0
  compile "$sources/main.cpp" --pianola-targets=cuda:sm_80
  "$pianolacc" main.o "$objects/twice.o" --pianola-save-temps=. -o program 2>messages || status=$?
  if [ $status -ne 0 ]; then
    grep -q 'ptxas\|CUDA toolkit' messages || fail "$(cat messages)"
    exit 77
  fi
  grep -q 'entry pianola_kernel_' program-sm_80.ptx || fail "made: $(ls)"
  grep -q 'extern .func' program-sm_80.ptx && fail "a function is missing"
  strings -n 4 program | grep 'ptx:sm_80' >/dev/null || fail "there is no image"
}

# ---- what is wrong

test_undefined() {
  local text
  text=$(refused "$pianolacc" -shared "$objects/main.o" -o libprogram.so)
  says "$text" "main.cpp:12:17: kernel 'main::" "calls 'twice(int)', which is declared SYCL_EXTERNAL, and no translation unit"
  [ ! -e libprogram.so ] || fail "there is a library without images"
  # Of a unit that was not compiled for devices.
  "$pianolacc" -std=c++17 -O1 -I"$sources" -c "$sources/twice.cpp" -o twice.o
  says "$(refused "$pianolacc" "$objects/main.o" twice.o -o program)" "calls 'twice(int)', which is declared SYCL_EXTERNAL"
  [ ! -e program ] || fail "there is a program without images"
}

test_undefined_further_on() {
  unit twice <<'CODE'
#include <sycl/version.hpp>
int of_the_host(int);
SYCL_EXTERNAL int nowhere(int);
SYCL_EXTERNAL int twice(int x) { return x > 5 ? nowhere(x) : of_the_host(x); }
CODE
  # There is code of it, for a function of its unit alone.
  unit host <<'CODE'
#include <sycl/version.hpp>
int of_the_host(int x) { return x; }
SYCL_EXTERNAL int another(int x) { return of_the_host(x); }
int nowhere(int x) { return x; }
CODE
  local text
  text=$(refused "$pianolacc" "$objects/main.o" twice.o host.o -o program)
  says "$text" "twice.cpp:4:" "calls 'of_the_host(int)', which its translation unit neither defines nor declares SYCL_EXTERNAL" \
    "calls 'nowhere(int)', which is declared SYCL_EXTERNAL" "note: called from 'main::" "main.cpp:12:"
}

test_defined_twice() {
  unit again <<'CODE'
#include <sycl/version.hpp>
SYCL_EXTERNAL int twice(int x) { return x + x; }
CODE
  # Linkers refuse it themselves, unless they are told not to.
  says "$(refused "$pianolacc" "$objects/main.o" "$objects/twice.o" again.o -o program)" "twice(int)" "again.o"
  says "$(refused "$pianolacc" -Wl,-z,muldefs "$objects/main.o" "$objects/twice.o" again.o -o program)" \
    "'twice(int)', which is declared SYCL_EXTERNAL, is defined in '" "twice.cpp' and in './again.cpp'"
}

test_what_devices_cannot_do() {
  unit twice <<'CODE'
#include <sycl/version.hpp>
#include <cstdlib>
SYCL_EXTERNAL int further(int x);
SYCL_EXTERNAL int twice(int x) {
  return further(x);
}
CODE
  unit further <<'CODE'
#include <sycl/version.hpp>
#include <cstdlib>
SYCL_EXTERNAL int twice(int x);
static int* memory(int x) { return new int[x]; }
int counter = 0;
SYCL_EXTERNAL int further(int x) {
  if (x == 7) throw 5;
  if (x == 8) return twice(x);
  return *memory(x) + ++counter;
}
CODE
  local text
  text=$(refused "$pianolacc" "$objects/main.o" twice.o further.o -o program)
  says "$text" "error: ./further.cpp:4:36: kernel 'main::" "allocates memory with 'new'" "throws an exception" \
    "uses the variable 'counter', which is not a constant" "is recursive: 'twice(int)' calls itself" \
    "note: called from 'further(int)' at ./further.cpp:9:" "note: called from 'twice(int)' at ./twice.cpp:5:" \
    "note: called from 'main::" "main.cpp:12:"
}

test_standard_input() {
  cp "$objects/twice.o" .
  says "$(refused "$pianolacc" -std=c++17 -O1 -I"$sources" --pianola-targets=simulated -x c++ - -x none twice.o -o program <"$sources/main.cpp")" \
    "pianolacc: error: " "what comes from standard input cannot be read twice"
  [ ! -e program ] || fail "there is a program without images"
}

test_unmarked() {
  cat >unmarked.cpp <<'CODE'
#include <sycl/sycl.hpp>
int elsewhere(int);
void run(sycl::queue& q, int* p) { q.single_task([=] { *p = elsewhere(*p); }); }
CODE
  says "$(refused compile unmarked.cpp)" "calls 'elsewhere(int)', which this translation unit does not define"
}

# ---- what is in object files

test_object_files() {
  local one
  section_of "$objects/main.o" .pianola.device || fail "the kernel that waits is not there"
  section_of "$objects/twice.o" .pianola.device || fail "the function is not there"
  readelf -SW "$objects/twice.o" | grep -F .pianola.device | grep -qE ' E +0 ' || fail "linkers would take it in"
  # For the host alone there is nothing of all this, and nothing of what nobody calls.
  "$pianolacc" -std=c++17 -O1 -I"$sources" -c "$sources/twice.cpp" -o host.o
  section_of host.o .pianola && fail "there is something of devices"
  echo '#include "functions.hpp"' | unit declared
  section_of declared.o .pianola && fail "declarations are no code"
  # It says nothing of the folder if it is told to.
  for one in one two; do
    mkdir $one
    (cd $one && cp "$sources/twice.cpp" . && compile twice.cpp --pianola-unit=fixed)
  done
  cmp one/twice.o two/twice.o
}

test_commands_are_shown() {
  local text
  text=$("$pianolacc" -v "$objects/main.o" "$objects/twice.o" -o program 2>&1)
  says "$text" "-pianola-link=" " -t -t" "images.o"
  says "$("$pianolacc" --pianola-dry-run "$objects/main.o" "$objects/twice.o" -o program)" "main.o"
  # Temporary files are gone.
  mkdir temporary
  TMPDIR=$work/temporary "$pianolacc" "$objects/main.o" "$objects/twice.o" -o program
  [ -z "$(ls -A temporary)" ] || fail "left behind: $(ls -A temporary)"
}

"$name"
