#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# both_modes.sh PIANOLACC CLANG WORK LIBRARY_FOLDER INCLUDE_FOLDER... -- FLAG... -- SOURCE...
# Compiles a program with pianolacc and, with the same clang, in library-only mode, runs both, and fails unless they
# print the same and end with status 0. PIANOLACC_FLAGS are for pianolacc alone.
set -u
pianolacc=$1 clang=$2 work=$3 library=$4
shift 4
includes=() flags=()
while [ "$1" != -- ]; do includes+=("-I$1"); shift; done
shift
while [ "$1" != -- ]; do flags+=("$1"); shift; done
shift
mkdir -p "$work" || exit 1
. "$(dirname "$0")/../../support/precompiled.sh"
# shellcheck disable=SC2086
mapfile -t header < <(precompiled "$pianolacc" "${flags[@]}" ${PIANOLACC_FLAGS:-})
# shellcheck disable=SC2086
"$pianolacc" "${flags[@]}" "${header[@]}" ${PIANOLACC_FLAGS:-} "$@" -o "$work/compiled" ||
  { echo "pianolacc failed"; exit 1; }
mapfile -t header < <(precompiled "$clang" "${flags[@]}" -w "${includes[@]}")
"$clang" "${flags[@]}" -w "${includes[@]}" "${header[@]}" "$@" -L"$library" -lpianola "-Wl,-rpath,$library" -o "$work/library" ||
  { echo "$clang failed"; exit 1; }
status=0
for mode in library compiled; do
  timeout 600 "$work/$mode" >"$work/$mode.txt" 2>&1
  result=$?
  if [ $result -ne 0 ]; then
    tail -n 5 "$work/$mode.txt"
    echo "the $mode program ended with status $result"
    status=1
  fi
done
if ! diff "$work/library.txt" "$work/compiled.txt"; then
  echo "library-only mode printed the lines with <, the compiled program those with >"
  status=1
fi
[ -s "$work/library.txt" ] || { echo "the program printed nothing"; status=1; }
exit $status
