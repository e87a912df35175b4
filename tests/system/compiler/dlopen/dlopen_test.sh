#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dlopen_test.sh NAME PIANOLACC WORK DRIVERS: runs test_NAME in the empty folder WORK. DRIVERS holds the test doubles of
# drivers; empty: there are none.
set -eu -o pipefail
name=$1 pianolacc=$2 work=$3 drivers=$4
sources=$(cd "$(dirname "$0")" && pwd)
. "$sources/../../../support/in_work.sh"

compile() { "$pianolacc" -std=c++${standard:-17} -O2 "$@"; }

test_a_library_is_opened_run_closed_and_opened_again() {
  compile -fPIC -shared "$sources/kernels.cpp" -o libtwo.so
  compile -fPIC -shared -DFACTOR=3 "$sources/kernels.cpp" -o libthree.so
  compile "$sources/opener.cpp" -ldl -o opener
  expect $'240 gone 10\n360 gone 10\n240 gone 10\n360 gone 10' ./opener ./libtwo.so ./libthree.so
  # The program's own set goes last.
  PIANOLA_LOG=trace ./opener ./libtwo.so ./libthree.so >/dev/null 2>log
  [ "$(grep -c 'images registered' log)" -eq 5 ] || fail "sets registered: $(grep 'images registered' log)"
  [ "$(grep -c 'images unregistered' log)" -eq 5 ] || fail "sets unregistered: $(grep 'images unreg' log)"
}

# labelled FUNCTION TEXT: a kernel of FUNCTION, a regular expression, says that it is in the line of kernels.cpp that has TEXT.
labelled() {
  local line
  line=$(grep -nF "$2" "$sources/kernels.cpp" | cut -d: -f1)
  grep -q "\"label\": \"$1[^\"]* at kernels\.cpp:$line[:\"]" recorded/eager.graph.json ||
    fail "no $1 in line $line: $(grep -o '"label": "[^"]*"' recorded/eager.graph.json | sort -u)"
}

test_what_was_recorded_of_a_library_that_is_gone_is_written() {
  compile -g1 -fPIC -shared "$sources/kernels.cpp" -o libtwo.so
  compile "$sources/opener.cpp" -ldl -o opener
  PIANOLA_RECORD=recorded expect $'240 gone 10\n240 gone 10' ./opener ./libtwo.so
  # The compiler knows where a lambda is; where a kernel has a name, the line is that of the call.
  labelled 'scale_and_sum::' 'q.parallel_for(sycl::nd_range<1>'
  labelled '(anonymous namespace)::scale' 'q.parallel_for<scale>('
  [ -z "$(ls -A recorded | grep '^\.')" ] || fail "left behind: $(ls -A recorded)"
}

test_one_file_compiled_twice_is_reported_when_both_are_open() {
  compile -fPIC -shared "$sources/kernels.cpp" -o libtwo.so
  cp libtwo.so libcopy.so
  cat >both.cpp <<'END'
#include <dlfcn.h>
int main() { return dlopen("./libtwo.so", RTLD_NOW) && dlopen("./libcopy.so", RTLD_NOW) ? 0 : 1; }
END
  "$pianolacc" both.cpp -ldl -o both
  # The same kernels twice are no fault, and no news.
  expect '' ./both
  ./both 2>log
  [ ! -s log ] || fail "$(cat log)"
  PIANOLA_LOG=info ./both 2>log
  grep -q 'is loaded more than once' log || fail "not said: $(cat log)"
}

test_the_runtime_stays_when_the_only_library_that_uses_it_is_closed() {
  compile -fPIC -shared "$sources/kernels.cpp" -o libtwo.so
  cat >plain.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  for (int round = 0; round < 2; ++round) {
    void* library = dlopen("./libtwo.so", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 1;
    printf("%d\n", ((int (*)(int))dlsym(library, "scale_and_sum"))(16));
    fflush(stdout);
    dlclose(library);
    usleep(20000); /* its threads look for work, or wake up */
  }
  return 0;
}
END
  "${CC:-cc}" plain.c -ldl -o plain
  expect $'240\n240' ./plain
  # Some compilers' libraries stay for reasons of their own (symbols that are unique in the process), so that the program
  # cannot tell whether ours asks for it.
  local runtime
  runtime=$(ldd ./libtwo.so | awk '$1 ~ /^libpianola\.so/ { print $3 }')
  [[ $(readelf -dW "$runtime") == *NODELETE* ]] || fail "$runtime may be unloaded while its threads run"
}

# counts DEVICES
counts() {
  local devices=$1 round=''
  # Each library begins anew when it is opened again, and has its own variable, whatever the others' are called.
  local line='1101 2201 1402 5402 2501 2003'
  round="$line 9704 3302 own"
  PIANOLA_DEVICES=$devices expect "$round 8"$'\n'"$round 9"$'\n'"$round 10" ./counters ./liba.so ./libb.so
}

test_variables_of_devices_come_and_go_with_their_libraries() {
  local standard=20  # variables have values from the start
  compile --pianola-targets=simulated -fPIC -shared "$sources/counter.cpp" -o liba.so
  compile --pianola-targets=simulated -fPIC -shared -DSTART=20 "$sources/counter.cpp" -o libb.so
  compile --pianola-targets=simulated "$sources/counters.cpp" -ldl -o counters
  counts openmp
  [ -n "$drivers" ] || return 0
  PIANOLA_CUDA_DRIVER=$drivers/libcuda.so.1 counts cuda
  PIANOLA_HIP_RUNTIME=$drivers/libamdhip64.so.5 counts hip
}

test_kernels_of_equal_names_in_two_files_differ() {
  compile "$sources/same_names_a.cpp" "$sources/same_names_b.cpp" -o names
  expect '11 22' ./names
}

test_kernels_of_a_static_library_are_found() {
  compile -c "$sources/same_names_a.cpp" -o a.o
  ar rcs liba.a a.o
  compile -c "$sources/same_names_b.cpp" -o b.o
  compile b.o -L. -la -o names
  expect '11 22' ./names
}

test_kernels_run_before_main() {
  compile "$sources/early.cpp" -o early
  expect $'7\n14' ./early
}

"test_$name"
