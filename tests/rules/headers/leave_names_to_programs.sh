#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# leave_names_to_programs.sh struct|int COMPILER USES ROOT...: a program may have a type (struct) or a variable (int) of any
# name that the headers use for something of their own, and include them after that: they look up nothing of theirs where
# the program's would be found. Nor do their templates, which look up some names when they are instantiated: the file USES
# does that. Names that the C and C++ libraries have at global scope are no program's, nor are those that the headers
# declare there themselves: handles of the vendors' drivers, and macros.
set -u
kind=$1 compiler=$2 uses=$3
shift 3
flags=(-std=c++17 -fsyntax-only -w -x c++)
for root in "$@"; do flags+=(-I "$root"); done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

find "$@" -type f \( -name '*.hpp' -o -name '*.h' \) -print0 | xargs -0 cat |
  grep -oE '^ *# *include <[a-z_./]+>' | grep -vE '<(sycl|CL|pianola)/|experimental' | sort -u >"$work/libraries"
find "$@" -type f \( -name '*.hpp' -o -name '*.h' \) -print0 |
  xargs -0 perl -0777 -ne 's|//.*||g; s|/\*.*?\*/||gs; s|"(\\.\|[^"\\])*"||g; s|^\s*#.*(\\\n.*)*||gm; print "$1\n" while /\b([A-Za-z_]\w*)\b/g' |
  sort -u | grep -vE '^(_|pianola|[a-z]$|[A-Z]$)|__|^(sycl|pianola|cl|std|i?hip\w*|[A-Za-z]*_st)$' >"$work/words"
declare_all() { sed -E "s/.*/$kind &;/" "$1"; }

# What cannot be declared beside the libraries: keywords, and what they have.
for round in 1 2 3 4; do
  { cat "$work/libraries"; declare_all "$work/words"; } >"$work/without.cpp"
  lines=$(wc -l <"$work/libraries")
  "$compiler" "${flags[@]}" -ferror-limit=0 "$work/without.cpp" 2>"$work/refused" && break
  grep -oE 'without\.cpp:[0-9]+:[0-9]+: error' "$work/refused" | cut -d: -f2 | sort -un |
    awk -v skip="$lines" '{ print $1 - skip "d" }' >"$work/script"
  sed -i -f "$work/script" "$work/words"
done
[ "$(wc -l <"$work/words")" -gt 1000 ] || { echo "only $(wc -l <"$work/words") names found"; exit 1; }

{ cat "$work/libraries"; declare_all "$work/words"; echo "#include \"$uses\""; } >"$work/with.cpp"
if ! "$compiler" "${flags[@]}" "$work/with.cpp"; then
  echo "FAILED: the headers find a name of the program's in place of their own" >&2
  exit 1
fi
echo "$(wc -l <"$work/words") names"
