#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# roofline.sh BUILD [REPLAYS]: how far off kernels are of which nothing was measured. For each program of arithmetic.cpp `pianola
# simulate` predicts a replay on a calibrated machine, from the compiler's facts and, before that, without the operations
# that they count; the fastest replay stands beside it.
set -eu
build=$1 replays=${2:-20}
sources=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIANOLA_DEVICES=openmp
pianola=$build/bin/pianola
"$build/bin/pianolacc" -std=c++17 -O3 -march=native "$sources/arithmetic.cpp" -o "$work/program"
"$pianola" calibrate --quick -o "$work/here.json"

# Seconds of the recorded plan.
predicted() {
  "$pianola" simulate "$1" "$work/recorded/graph-0.plan.json" --topology "$work/here.json" --json |
    sed -n 's/^ *"makespan": \([^,]*\),*$/\1/p'
}

printf '%-20s %14s %12s %12s\n' program 'without facts' predicted measured
names=$("$work/program" || true)
for name in $names; do
  rm -rf "$work/recorded"
  PIANOLA_RECORD=$work/recorded "$work/program" "$name" 1 >"$work/once"
  graph=$work/recorded/graph-0.graph.json
  # Without what is said of operations; bytes stay.
  sed -e 's/, "operations": [0-9.e+]*//' -e 's/"operations": [0-9.e+]*//' "$graph" >"$work/blind.json"
  before=$(predicted "$work/blind.json") now=$(predicted "$graph")
  measured=$("$work/program" "$name" "$replays")
  awk -v name="$name" -v b="$before" -v p="$now" -v m="$measured" 'BEGIN {
    printf "%-20s %11.1f us %9.1f us %9.1f us\n", name, b * 1e6, p * 1e6, m * 1e6 }'
done
