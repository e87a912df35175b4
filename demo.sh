#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds Pianola and runs its main job: a heat solver that starts from an image, steps thousands of times
# eagerly and then as a recorded graph, and checks that both give the same bits.
#
#   ./demo.sh [--steps N] [IMAGE...]      PGM or PNG images; default: those in samples/data
set -euo pipefail
cd "$(dirname -- "$0")"

steps=2000
images=()
while [ $# -gt 0 ]; do
  case $1 in
    --steps)
      [ $# -ge 2 ] || { echo "demo.sh: --steps needs a number" >&2; exit 2; }
      steps=$2
      shift
      ;;
    -h | --help) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "demo.sh: unknown option '$1'; see ./demo.sh --help" >&2; exit 2 ;;
    *) images+=("$1") ;;
  esac
  shift
done
if [ ${#images[@]} -eq 0 ]; then
  images=(samples/data/*.pgm)
fi
for image in "${images[@]}"; do
  [ -f "$image" ] || { echo "demo.sh: no such image: $image" >&2; exit 2; }
done

tools/install-packages.sh
build=build/release
cmake --preset release >/dev/null
cmake --build "$build" --target pianola_runtime pianola_simulated pianola_tool heat

# Every run gives plain files: what was recorded, what was planned, and both as pictures.
rm -rf demo-output
for image in "${images[@]}"; do
  output=demo-output
  if [ ${#images[@]} -gt 1 ]; then
    name=$(basename -- "$image")
    output=demo-output/${name%.*}
  fi
  mkdir -p "$output"
  echo
  echo "== heat: $image, $steps steps"
  "$build/bin/heat" --image "$image" --steps "$steps" --output "$output"
  if [ ! -f "$output/graph.svg" ]; then
    "$build/bin/pianola" show "$output/graph.json" --svg >"$output/graph.svg"
  fi
  "$build/bin/pianola" verify "$output/graph.json" "$output/plan.json"
done

echo
echo "Written:"
find demo-output -type f | LC_ALL=C sort | sed 's/^/  /'
