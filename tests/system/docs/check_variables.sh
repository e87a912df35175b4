#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_variables.sh ROOT: docs/environment.md lists each environment variable that the code reads, and no other of ours.
set -u -o pipefail
cd "$1" || exit 1
# shellcheck source=tests/support/list_sources.sh
. tests/support/list_sources.sh
outcome=0
# What tests/system/compiler/check compiles is wrong on purpose and never runs.
read_by_code=$(list_sources . '*.cpp' '*.hpp' '*.h' | grep -zvE '^(\./)?tests/system/compiler/check/' | xargs -0 grep -ohE 'getenv\("[A-Z_]+"\)' |
  sed -E 's/.*"([A-Z_]+)".*/\1/' | sort -u)
[ -n "$read_by_code" ] || { echo "no getenv was found" >&2; exit 1; }
for name in $read_by_code; do
  if ! grep -qF "\`$name\`" docs/environment.md; then
    echo "docs/environment.md does not tell of $name, which the code reads" >&2
    outcome=1
  fi
done
# shellcheck disable=SC2016  # the backticks are meant
for name in $(grep -ohE '`PIANOLA_[A-Z_]+`' docs/environment.md | tr -d '`' | sort -u); do
  if ! grep -qx "$name" <<<"$read_by_code"; then
    echo "docs/environment.md tells of $name, which no code reads" >&2
    outcome=1
  fi
done
echo "$(wc -w <<<"$read_by_code") variables"
exit $outcome
