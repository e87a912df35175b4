#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# simulation.sh BUILD [REPLAYS]: how far off simulated plans are. For each program of replays.cpp: a recorded run tells what its
# kernels take, `pianola simulate` predicts a replay from that, and another run measures it, both on the CPU. Both sides are
# least times: what else the machine does only ever adds.
set -eu
build=$1 replays=${2:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIANOLA_DEVICES=openmp
program=$build/tests/bench_replays pianola=$build/bin/pianola
"$pianola" calibrate --quick -o "$work/here.json"
printf '%-14s %12s %12s %8s\n' program predicted measured error
"$program" | while read -r name; do
  rm -rf "$work/recorded"
  PIANOLA_RECORD=$work/recorded PIANOLA_RECORD_TIMES=on "$program" "$name" "$replays" >"$work/timed"
  "$pianola" calibrate --from "$work/recorded" --into "$work/here.json" -o "$work/machine.json" 2>"$work/remarks"
  "$pianola" simulate "$work/recorded/graph-0.graph.json" "$work/recorded/graph-0.plan.json" \
    --topology "$work/machine.json" --json >"$work/simulation.json"
  predicted=$(sed -n 's/^ *"makespan": \([^,]*\),*$/\1/p' "$work/simulation.json")
  measured=$("$program" "$name" "$replays")
  awk -v name="$name" -v p="$predicted" -v m="$measured" 'BEGIN {
    printf "%-14s %9.1f us %9.1f us %+7.1f %%\n", name, p * 1e6, m * 1e6, 100 * (p - m) / m }'
done | tee "$work/table"
awk '{ e = $6 < 0 ? -$6 : $6; print e }' "$work/table" | sort -n |
  awk '{ v[NR] = $1 } END { printf "median error %.1f %%\n", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
