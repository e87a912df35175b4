#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# subcommands.sh PIANOLA [FOLDER]: how long each subcommand takes on graphs of 100,200 commands, a stencil on four devices and what
# is hard about others of its size (make_graphs.mjs): of the shortest of three runs the seconds, those of processor time, of all
# threads and of the programs that it runs, and the most memory of a process, in MiB.
set -eu
tool=$1 folder=${2:-$(mktemp -d)}
here=$(cd "$(dirname -- "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
[ -s different.json ] || node "$here/make_graphs.mjs" 1000 100 4 .
"$tool" plan graph.json -o plan.json
# Two recordings of a program.
for run in a b; do
  mkdir -p "$run"
  cp graph.json "$run/graph-0.graph.json"
  cp plan.json "$run/graph-0.plan.json"
done

# Of the middle of the plan.
asked() { "$tool" explain graph.json plan.json --limit 0 | sed -n "s/^  --$1 \([0-9:]*\).*/\1/p" | sed -n "$2p"; }
transfer=$(asked transfer 3000) edge=$(asked edge 100000)

measure() {
  local best='' line run
  for run in 1 2 3; do
    line=$(/usr/bin/time -f '%e %U %S %M' "$tool" "$@" 2>&1 >/dev/null | tail -n 1)
    [ -n "$best" ] && [ "$(printf '%s\n' "$best" "$line" | sort -n | head -n 1)" = "$best" ] || best=$line
  done
  awk -v what="$*" '{ printf "| `%s` | %s | %.2f | %d |\n", what, $1, $2 + $3, $4 / 1024 }' <<<"$best"
}

echo '| subcommand | s | processor, s | MiB |'
echo '| --- | --- | --- | --- |'
measure show graph.json
measure show graph.json plan.json
measure show graph.json --png -o picture.png
measure show graph.json plan.json --png -o picture.png
measure show edges.json --png -o picture.png
measure plan graph.json -o again.json
measure plan graph.json --place anywhere -o again.json
measure plan graph.json --place refined -o again.json
measure plan graph.json --split -o again.json
measure plan edges.json -o again.json
measure plan spread.json -o again.json
measure verify graph.json plan.json
measure simulate graph.json plan.json
measure simulate graph.json plan.json --trace -o trace.json
measure explain graph.json plan.json
measure explain graph.json plan.json --transfer "$transfer"
measure explain graph.json plan.json --edge "$edge"
measure explain graph.json --node 50000
measure advise graph.json
measure advise graph.json plan.json
measure advise edges.json
measure advise spread.json
measure advise chain.json
measure check graph.json
measure check usm.json
measure check usm.json --suspicions
measure diff graph.json graph.json
measure diff graph.json shuffled.json
measure diff graph.json different.json
measure diff graph.json graph.json --plan-a plan.json --plan-b plan.json
measure diff a b
measure view graph.json plan.json -o page.html
