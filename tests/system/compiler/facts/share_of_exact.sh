#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# share_of_exact.sh PIANOLACC [OPTION]... SOURCE...: of how many pointers of the kernels in each source every access is known.
#
# Prints a row of a table for each, and one for all: kernels; those of which is known how much they compute; pointers that
# they use (local memory is left out: its accessors are loaded and nothing is touched through them that anybody else sees);
# those with one access per work-item, side by side (what runs of pieces need); those with a list of accesses; accesses in
# the lists, how many of them happen for certain, and how many serve reductions. Behind the table, why pointers have no
# list, the most frequent reason first.
set -eu -o pipefail
pianolacc=$1
shift
options=()
while [ "${1#-}" != "$1" ]; do
  options+=("$1")
  shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/row.awk" <<'END'
/: (uses only|uses, other memory|nothing known)$/ { ++kernels; delete used; next }
/^  @[0-9]+: (unknown|read|written)/ { ++pointers; used[$1] = 1; if (/ bytes at /) ++element_wise; next }
/^  @[0-9]+:$/ { used[$1] = 0; next }
/^@[0-9]+:/ { if (used[$1] && !/not listed/) ++listed; next }
/^operations:$/ { ++counted; next }
/^  (maybe |read |written )/ { ++accesses; if (!/^  maybe/) ++certain; if (/ for /) ++reduced; next }
END {
  if (kernels)
    printf "| %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, kernels, counted, pointers, element_wise, listed, accesses, certain, reduced
}
END
for source in "$@"; do
  rm -rf "$work/facts"
  "$pianolacc" -std=c++20 -O2 "--pianola-save-temps=$work/facts" -I"$(dirname "$source")" ${options[@]+"${options[@]}"} \
    -c "$source" -o "$work/out.o" 2>"$work/said" || {
    printf '%s is left out: %s\n' "$(basename "$source")" "$(grep -m1 error "$work/said" || true)" >&2
    continue
  }
  # What has no kernels has no facts.
  find "$work" -name '*.facts' -exec cat {} + >"$work/one"
  [ -s "$work/one" ] || continue
  awk -v name="$(basename "$source")" -f "$work/row.awk" "$work/one"
  cat "$work/one" >>"$work/all"
done
[ -f "$work/all" ] || exit 0
awk -v name=all -f "$work/row.awk" "$work/all"
sed -n 's/^@[0-9]*: not listed: //p' "$work/all" | sort | uniq -c | sort -rn
