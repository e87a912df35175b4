#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_edge.sh allowed|forbidden COMPILER HEADER[,HEADER...] [-I<dir>...]
# Compiles `#include <HEADER>` with that include path and nothing else of the project.
set -u
verdict=$1 compiler=$2 headers=$3
shift 3

for header in ${headers//,/ }; do
  messages=$(printf '#include <%s>\n' "$header" |
    LC_ALL=C "$compiler" -std=c++20 -fsyntax-only "$@" -x c++ - 2>&1)
  status=$?
  if [ "$verdict" = allowed ]; then
    [ $status -eq 0 ] && continue
    printf 'an allowed include does not compile: %s\n%s\n' "$header" "$messages" >&2
    exit 1
  fi
  if [ $status -eq 0 ]; then
    echo "a forbidden include compiles: $header" >&2
    exit 1
  fi
  if ! grep -Fq "$header" <<<"$messages" || ! grep -Eq 'No such file|file not found' <<<"$messages"; then
    printf 'a forbidden include is found, and fails for another reason: %s\n%s\n' "$header" "$messages" >&2
    exit 1
  fi
done
