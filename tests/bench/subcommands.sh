#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# subcommands.sh PIANOLA [FOLDER]: how long each subcommand takes on a graph of 100,200 commands, a stencil on four devices: the
# shortest of three runs, in seconds, and the most memory, in MiB.
set -eu
tool=$1 folder=${2:-$(mktemp -d)}
here=$(cd "$(dirname -- "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
[ -s graph.json ] || node "$here/../system/view/make_graph.mjs" 1000 100 4 graph.json
"$tool" plan graph.json -o plan.json

measure() {
  local best='' line run
  for run in 1 2 3; do
    line=$(/usr/bin/time -f '%e %M' "$tool" "$@" 2>&1 >/dev/null | tail -n 1)
    [ -n "$best" ] && [ "$(printf '%s\n' "$best" "$line" | sort -n | head -n 1)" = "$best" ] || best=$line
  done
  printf '| `%s` | %s | %d |\n' "$*" "${best% *}" $((${best#* } / 1024))
}

echo '| subcommand | s | MiB |'
echo '| --- | --- | --- |'
measure show graph.json
measure show graph.json plan.json
measure plan graph.json -o again.json
measure verify graph.json plan.json
measure simulate graph.json plan.json
measure simulate graph.json plan.json --trace -o trace.json
measure explain graph.json plan.json
measure explain graph.json --node 50000
measure advise graph.json
measure advise graph.json plan.json
measure check graph.json
measure diff graph.json graph.json
measure diff graph.json graph.json --plan-a plan.json --plan-b plan.json
measure view graph.json plan.json -o page.html
