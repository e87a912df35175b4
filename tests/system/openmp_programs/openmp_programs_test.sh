#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# openmp_programs_test.sh none|libgomp|libomp PROGRAM: kernels use all processors that the process was given, whatever
# OpenMP library it has and whether that binds its threads; the main thread is bound by no one else; no second library.
set -u -o pipefail
library=$1 program=$2
unset "${!OMP_@}" HWLOC_SYNTHETIC PIANOLA_DEVICES
fail() {
  echo "$library, $*" >&2
  exit 1
}
[ "$library" = none ] && libraries=0 || libraries=1

# 0-2,5 as 0,1,2,5
numbers() {
  local part
  for part in ${1//,/ }; do seq "${part%-*}" "${part#*-}"; done | paste -sd,
}
allowed=$(numbers "$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)")
count=$(tr , '\n' <<<"$allowed" | wc -l)

check() { # UNITS PROCESSORS VARIABLE=VALUE...
  local units=$1 processors=$2 order output
  shift 2
  for order in kernels_first loops_first; do
    output=$(env "$@" "$program" $order 2>&1) || fail "$* $order: $output"
    grep -qx "OK" <<<"$output" || fail "$* $order: the sums are wrong: $output"
    grep -qE '^main thread: (.*), then \1$' <<<"$output" || fail "$* $order: the main thread was bound: $output"
    grep -qx "threads: $processors" <<<"$output" || fail "$* $order: the threads are not on $processors: $output"
    grep -qx "units: $units" <<<"$output" || fail "$* $order: the device has not $units units: $output"
    grep -qx "libraries: $libraries" <<<"$output" || fail "$* $order: not $libraries OpenMP libraries: $output"
  done
}

check "$count" "$allowed" NOTHING=set
check 1 "$allowed" OMP_NUM_THREADS=1
check 3 "$allowed" OMP_NUM_THREADS=3,2
check 2 "$allowed" OMP_NUM_THREADS=8 OMP_THREAD_LIMIT=2
check "$count" "$allowed" OMP_PROC_BIND=false OMP_PLACES=cores
for bind in true close spread; do
  check "$count" "$allowed" OMP_PROC_BIND=$bind
  check "$count" "$allowed" OMP_PROC_BIND=$bind OMP_PLACES=threads
  check $((count + 1)) "$allowed" OMP_PROC_BIND=$bind OMP_PLACES=cores OMP_NUM_THREADS=$((count + 1))
done
# Fewer than the process has.
if command -v taskset >/dev/null; then
  first=${allowed%%,*}
  for bind in false true; do
    output=$(env OMP_PROC_BIND=$bind taskset -c "$first" "$program" kernels_first 2>&1) || fail "taskset: $output"
    grep -qx "threads: $first" <<<"$output" || fail "taskset $bind: the threads are not on $first: $output"
    grep -qx "units: 1" <<<"$output" || fail "taskset $bind: the device has more than a unit: $output"
  done
fi
# Mistakes are told.
refused() { # TEXT VARIABLE=VALUE
  local output
  output=$(env "$2" "$program" kernels_first 2>/dev/null) && fail "$2: it is taken"
  grep -qF "$2" <<<"${output//\'/}" && grep -qF "$1" <<<"$output" || fail "$2: it says $output"
}
refused "a number of threads" OMP_NUM_THREADS=several
refused "a number of threads" OMP_NUM_THREADS=0
refused "a number of threads" OMP_THREAD_LIMIT=-1
refused "close, spread or primary" OMP_PROC_BIND=maybe
refused "a list of places" "OMP_PLACES={0,1"
refused "this process may use" "OMP_PLACES={9999}"
refused "a size, such as 16M" OMP_STACKSIZE=huge
refused "a topology as hwloc describes it" HWLOC_SYNTHETIC=bad
exit 0
