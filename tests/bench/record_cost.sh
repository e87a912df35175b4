#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# record_cost.sh BENCH [PAIRS [REPORT]]: what PIANOLA_RECORD adds to what BENCH (pianola_bench) measures under names that
# begin with REPORT (submit/): runs without it and with it, in turns; of each pair the ratio, of these the median and the
# quartiles, beside the medians of both.
set -euo pipefail
[ $# -ge 1 ] && [ -x "$1" ] || { echo "record_cost.sh: give it pianola_bench, and how many pairs of runs (9) of which report (submit/)" >&2; exit 2; }
bench=$1 pairs=${2:-9} report=${3:-submit/}
[[ $pairs =~ ^[1-9][0-9]*$ ]] || { echo "record_cost.sh: '$pairs' is no number of pairs" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run [VARIABLE=VALUE]...: lines of a name, a tab and our microseconds.
run() {
  env "$@" "$bench" --report="$report" --effort=0.3 |
    awk -v report="$report" 'index($0, report) == 1 { name = substr($0, 1, 42); sub(/ +$/, "", name); split(substr($0, 43), rest, " "); print name "\t" rest[1] }'
}

for ((i = 0; i < pairs; ++i)); do
  # Which comes first takes turns as well.
  if ((i % 2 == 0)); then order=(off on); else order=(on off); fi
  for which in "${order[@]}"; do
    rm -rf "$work/recorded"
    if [ "$which" = on ]; then run PIANOLA_RECORD="$work/recorded" >"$work/on"; else run >"$work/off"; fi
  done
  join -t $'\t' <(sort -u -t $'\t' -k1,1 "$work/off") <(sort -u -t $'\t' -k1,1 "$work/on") >>"$work/all"
done

median() { # LOWER-QUARTILE MEDIAN UPPER-QUARTILE of the numbers on standard input
  sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 3) / 4)], v[int((NR + 1) / 2)], v[int((3 * NR + 3) / 4)] }'
}
echo '| | without, us | with, us | ratio [quartiles] |'
echo '| --- | --- | --- | --- |'
cut -f 1 "$work/all" | sort -u | while IFS= read -r name; do
  awk -F '\t' -v name="$name" '$1 == name' "$work/all" >"$work/one"
  read -r _ off _ < <(cut -f 2 "$work/one" | median)
  read -r _ on _ < <(cut -f 3 "$work/one" | median)
  read -r lower ratio upper < <(awk -F '\t' '{ print $3 / $2 }' "$work/one" | median)
  printf '| %s | %s | %s | %.2f [%.2f, %.2f] |\n' "$name" "$off" "$on" "$ratio" "$lower" "$upper"
done
