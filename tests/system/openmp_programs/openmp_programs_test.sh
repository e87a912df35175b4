#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# openmp_programs_test.sh none|libgomp|libomp|pianolacc PROGRAM: Pianola and OpenMP have as many threads as OpenMP's
# variables and the processors of the process say. Each thread of Pianola has the processors that these give it, whatever
# OpenMP library the program has and whether that binds its threads. No other thread is bound by Pianola, and there is no
# second library.
set -u -o pipefail
export LC_ALL=C PIANOLA_DEVICES=openmp
name=$1 program=$2
unset "${!OMP_@}" "${!GOMP_@}" "${!KMP_@}" HWLOC_SYNTHETIC
fail() {
  echo "$name, $*" >&2
  exit 1
}
[ "$name" = none ] && libraries=0 || libraries=1

# 0-2,5 as 0,1,2,5
numbers() {
  local part
  for part in ${1//,/ }; do seq "${part%-*}" "${part#*-}"; done | paste -sd,
}
# What the programs are given, and what gives it to them.
allowed=$(numbers "$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)")
count=$(tr , '\n' <<<"$allowed" | wc -l)
given_by=()

# As the program prints masks: lines in order, on one line.
in_one_line() { sort | paste -sd'|' | sed 's/|/ | /g'; }

# THREADS: where the workers of an unbound team are. The thread that waits is none; a team of one has a worker.
unbound() {
  local i
  for ((i = $1 > 1 ? 1 : 0; i < $1; ++i)); do echo "$allowed"; done | in_one_line
}

# true|close|spread|primary THREADS PLACE...: where those of a bound team are. The place of the main thread is taken: that
# to which OpenMP has bound it, else the first. libomp takes the places of a kind in an order of its own.
bound() {
  local how=$1 threads=$2 i at main
  local places=("${@:3}")
  main=$(sed -nE 's/^main thread: .*, then (.*)$/\1/p' <<<"$output")
  for ((i = 0; i < ${#places[@]}; ++i)); do
    [ "${places[i]}" != "$main" ] || { places=("${places[@]:i}" "${places[@]:0:i}") && break; }
  done
  [ "$threads" -gt 1 ] || { unbound 1; return; }
  for ((i = 1; i < threads; ++i)); do
    at=$((i * ${#places[@]} / threads))
    [[ $how = spread || $threads -gt ${#places[@]} ]] || at=$i
    [ "$how" != primary ] || at=0
    echo "${places[at]}"
  done | in_one_line
}

# Each core, as far as the programs are given it.
cores() {
  local p list
  for p in ${allowed//,/ }; do
    list=$(cat "/sys/devices/system/cpu/cpu$p/topology/thread_siblings_list" 2>/dev/null) || list=$p
    numbers "$list" | tr , '\n' | grep -xF "$(tr , '\n' <<<"$allowed")" | paste -sd,
  done | awk '!seen[$0]++'
}

# Runs the program into `output`.
run() { # ORDER VARIABLE=VALUE...
  output=$(env "${@:2}" "${given_by[@]}" "$program" "$1" 2>&1) || fail "${*:2} $1: $output"
  grep -qx OK <<<"$output" || fail "${*:2} $1: the sums are wrong: $output"
  grep -qx "libraries: $libraries" <<<"$output" || fail "${*:2} $1: not $libraries OpenMP libraries: $output"
}
of_openmp() { grep -E "^OpenMP|^main thread at the end: " <<<"$output"; }

# THREADS WORKERS VARIABLE=VALUE...; THREADS are numbers with | between them, WORKERS is a command that prints, of the
# program's output, where the workers are as a regular expression.
check() {
  local threads=$1 command=$2 workers wanted=$count variable order alone
  shift 2
  for variable in "$@"; do
    [[ $variable != OMP_NUM_THREADS=* ]] || { wanted=${variable#*=} && wanted=${wanted%%,*}; }
  done
  run loops_only "$@"
  alone=$(of_openmp)
  [ "$name" = none ] || grep -qxE "OpenMP: $wanted at most, ($threads) in a region, of which ($threads) came" <<<"$alone" ||
    fail "$*: OpenMP does not have $threads threads: $output"
  [ "$name" != none ] || grep -qx "main thread at the end: $allowed" <<<"$alone" ||
    fail "$*: the main thread is not where it was: $output"
  for order in kernels_first loops_first; do
    run $order "$@"
    workers=$($command)
    grep -qE '^main thread: (.*), then \1$' <<<"$output" || fail "$* $order: the main thread was bound: $output"
    grep -qxE "Pianola's threads: $workers" <<<"$output" ||
      fail "$* $order: Pianola's threads are not on $workers: $output"
    grep -qxE "Pianola's threads at the end: $workers" <<<"$output" ||
      fail "$* $order: Pianola's threads did not stay on $workers: $output"
    grep -qxE "units: ($threads)" <<<"$output" || fail "$* $order: the device has not $threads units: $output"
    [ "$(of_openmp)" = "$alone" ] || fail "$* $order: Pianola changed OpenMP, which alone prints $alone: $output"
  done
}
# check_unbound THREADS VARIABLE=VALUE..., check_bound HOW THREADS "PLACE..." VARIABLE=VALUE...
as_expression() { sed 's/|/\\|/g'; }
unbound_workers() { unbound "$1" | as_expression; }
bound_workers() { bound "$@" | as_expression; }
check_unbound() { check "$1" "unbound_workers $1" "${@:2}"; }
check_bound() {
  # shellcheck disable=SC2116,SC2086
  check "$2" "bound_workers $1 $2 $(echo $3)" OMP_PROC_BIND="$1" "${@:4}"
}
# PLACE VARIABLE=VALUE...: on this place is every thread, however many there are. A library that has bound the main thread
# there hides from Pianola that the process has more processors.
workers_on() { echo "$1( \| $1)*"; }
check_all_on() { check "$count|1" "workers_on $1" "${@:2}"; }

check_unbound "$count" NOTHING=set
check_unbound 1 OMP_NUM_THREADS=1
check_unbound 3 OMP_NUM_THREADS=3,2
check_unbound 70 OMP_NUM_THREADS=70
check_unbound 2 OMP_NUM_THREADS=8 OMP_THREAD_LIMIT=2
check_unbound "$count" OMP_PROC_BIND=false OMP_PLACES=cores
for bind in true close spread primary; do
  check_bound $bind "$count" "$(cores)" NOTHING=set
  check_bound $bind "$count" "$(cores | tr , '\n')" OMP_PLACES=threads
  check_bound $bind $((count + 1)) "$(cores)" OMP_PLACES=cores OMP_NUM_THREADS=$((count + 1))
done
first=${allowed%%,*} last=${allowed##*,}
for p in $first $last; do
  check_bound true 3 "$p" "OMP_PLACES={$p}" OMP_NUM_THREADS=3
  check_all_on "$p" "OMP_PLACES={$p}"
done
if [ "$count" -gt 1 ]; then
  check_bound close 2 "$last $first" "OMP_PLACES={$last},{$first}" OMP_NUM_THREADS=2
  check_bound spread 3 "$last $first" "OMP_PLACES={$last},{$first}" OMP_NUM_THREADS=3
  check_bound spread 5 "$first $last" "OMP_PLACES={$first},{$last}" OMP_NUM_THREADS=5
fi
# Fewer than the process has.
for p in $first $last; do
  given_by=(taskset -c "$p") allowed=$p count=1
  check_unbound 1 NOTHING=set
  check_unbound 3 OMP_NUM_THREADS=3
  check_bound true 1 "$p" NOTHING=set
  check_bound true 3 "$p" OMP_NUM_THREADS=3
  check_bound spread 2 "$p" "OMP_PLACES={$first},{$last}" OMP_NUM_THREADS=2
done
given_by=()

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
