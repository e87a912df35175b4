#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_case.sh FILE CASE COMPILER [FLAG...]
#
# FILE is C++17 with pieces of wrong code under `#ifdef CASE_<name>`. Its comments say what must happen:
#   // TARGET: pianola_model      whose include path it gets (default: pianola_sycl)
#   // CASE <name>: <regex>       what the compiler must say about that case (extended regular expression)
#   // EXPECT-ERROR: <regex>      the same for the cases without a line of their own
# With CASE `headers` FILE is a header that is compiled to stand beside it, for `-include FILE`.
# With CASE `none` the file must compile; otherwise compiling must fail with that message. A regex is
# needed, so that a case does not pass because of a misspelt name.
set -u
file=$1 case=$2 compiler=$3
shift 3
flags=(-std=c++17 -Wall -Wextra "$@")

# Both compilers look for their own suffix beside the header.
if [ "$case" = headers ]; then
  case $compiler in
    *clang*) exec "$compiler" "${flags[@]}" -Xclang -fno-pch-timestamp -fpch-instantiate-templates \
      -x c++-header "$file" -o "$file.pch" ;;
    *) exec "$compiler" "${flags[@]}" -x c++-header "$file" -o "$file.gch" ;;
  esac
fi
flags+=(-fsyntax-only)

if [ "$case" = none ]; then
  exec "$compiler" "${flags[@]}" "$file"
fi

pattern=$(sed -n "s|^// CASE $case: *||p" "$file" | head -n 1)
if [ -z "$pattern" ]; then
  pattern=$(sed -n 's|^// EXPECT-ERROR: *||p' "$file" | head -n 1)
fi
if [ -z "$pattern" ]; then
  echo "$file: neither '// CASE $case: <regex>' nor '// EXPECT-ERROR: <regex>'" >&2
  exit 1
fi

if messages=$(LC_ALL=C "$compiler" "${flags[@]}" "-DCASE_$case" "$file" 2>&1); then
  echo "$file: case $case compiles, and must not" >&2
  exit 1
fi
if ! grep -Eq -- "$pattern" <<<"$messages"; then
  printf '%s: case %s fails to compile, but no message matches: %s\n%s\n' \
    "$file" "$case" "$pattern" "$messages" >&2
  exit 1
fi
