#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# share_of_exact.sh PIANOLACC SOURCE...: of how many pointers of the kernels in each source every access is known.
#
# Prints a row of a table for each: kernels; pointers that they use (local memory is left out: its accessors are loaded and
# nothing is touched through them that anybody else sees); those with one access per work-item, side by side (what runs of
# pieces need); those with a list of accesses; accesses in the lists, and how many of them happen for certain.
set -eu -o pipefail
pianolacc=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$@"; do
  rm -rf "$work/facts"
  "$pianolacc" -std=c++17 -O2 "--pianola-save-temps=$work/facts" -I"$(dirname "$source")" -c "$source" -o "$work/out.o"
  [ -d "$work/facts" ] || continue
  cat "$work"/facts/*.facts | awk -v name="$(basename "$source")" '
    /: (uses only|uses, other memory|nothing known)$/ { ++kernels; next }
    /^  @[0-9]+: (unknown|read|written)/ { ++pointers; used[$1] = 1; if (/ bytes at /) ++element_wise; next }
    /^  @[0-9]+:$/ { used[$1] = 0; next }
    /^@[0-9]+:/ { if (used[$1] && !/not listed/) ++listed; next }
    /^  (maybe |read |written )/ { ++accesses; if (!/^  maybe/) ++certain; next }
    END { if (kernels) printf "| %s | %d | %d | %d | %d | %d | %d |\n", name, kernels, pointers, element_wise, listed, accesses, certain }'
done
