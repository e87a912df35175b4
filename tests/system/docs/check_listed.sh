#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_listed.sh ROOT DOCUMENT...: documents with fenced blocks are among those named, whose blocks check_document.sh tries.
set -u
cd "$1" || exit 1
shift
outcome=0
while IFS= read -r document; do
  for listed in "$@"; do
    [ "$listed" = "$document" ] && continue 2
  done
  echo "$document: has examples, and tests/system/docs/CMakeLists.txt does not list it" >&2
  outcome=1
done < <(grep -l '^```' README.md docs/*.md)
exit $outcome
