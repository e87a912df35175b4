#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_paths.sh ROOT: what a document names in backticks like a file or folder of the project is there. Words with
# <placeholders> are left out; * stands for any name.
set -u -o pipefail
cd "$1" || exit 1
# shellcheck source=tests/support/list_sources.sh
. tests/support/list_sources.sh
outcome=0
count=0
while IFS= read -r -d '' document; do
  # shellcheck disable=SC2016  # the backticks are meant
  while IFS= read -r path; do
    [[ $path != *'<'* ]] || continue
    count=$((count + 1))
    if ! compgen -G "$path" >/dev/null; then
      echo "$document: there is no $path" >&2
      outcome=1
    fi
  done < <(awk '/^```/ { fenced = !fenced } !fenced' "$document" | grep -oE '`[^` ]+`' | tr -d '`' |
    grep -E '^(sycl/include|recorder|planner|executors|compiler|tools|tests|samples|docs|\.ci)/[A-Za-z0-9_.*/<>+-]+$')
done < <(list_sources . '*.md')
[ $count -gt 0 ] || { echo "no paths were found" >&2; exit 1; }
echo "$count paths"
exit $outcome
