#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_rooms_test.sh PYTHON WORK: check_rooms.py accepts a component that keeps to its table, and names each kind of fault.
set -u
python=$("$1" -c "import sys; print(sys.executable)")  # where that is a script which looks for it
work=$2
check=$(dirname "$0")/check_rooms.py
outcome=0

# A component of two rooms, `low` and `high`, and one of a single room.
fresh() {
  rm -rf "$work"
  mkdir -p "$work"/docs "$work"/part/src/{low,high} "$work"/part/include/pianola/part "$work"/other/src
  echo '#pragma once' | tee "$work"/part/src/{low,high}/{a,b}.hpp >"$work"/part/include/pianola/part/high.hpp
  printf '#include "b.hpp"\n#include "low/a.hpp"\n#include <pianola/part/high.hpp>\n' >"$work"/part/src/high/a.hpp
  cat >"$work"/docs/table.md <<'TABLE'
| room of part | is in | may include |
| --- | --- | --- |
| low: what others stand on | [low](../part/src/low) | nothing |
| high: what stands on it | [high.hpp](../part/include/pianola/part/high.hpp), [high](../part/src/high) | low |

| room of other | is in | may include |
| --- | --- | --- |
| all: of it | [src](../other/src) | nothing |
TABLE
}
# expect WORDS: the check fails and says so; without WORDS it passes.
expect() {
  local said
  said=$("$python" "$check" "$work" docs/table.md part other 2>&1)
  local code=$?
  if [ $# -eq 0 ] && [ $code -ne 0 ]; then
    printf 'refused what is right:\n%s\n' "$said" >&2
    outcome=1
  elif [ $# -eq 1 ] && { [ $code -eq 0 ] || [[ $said != *"$1"* ]]; }; then
    printf 'did not say "%s" but:\n%s\n' "$1" "$said" >&2
    outcome=1
  fi
}

fresh
expect
echo '#include "high/a.hpp"' >>"$work"/part/src/low/a.hpp
expect "part/src/low/a.hpp:2: 'low' may not include 'high'"
fresh
echo '#include "../high/a.hpp"' >>"$work"/part/src/low/a.hpp
expect "'low' may not include 'high'"
fresh
echo '#include <pianola/part/high.hpp>' >>"$work"/part/src/low/b.hpp
expect "'low' may not include 'high'"
fresh
mkdir "$work"/part/src/new
echo '#pragma once' >"$work"/part/src/new/a.hpp
expect "part/src/new/a.hpp: is in no room of part"
fresh
sed -i 's/| nothing |/| high |/' "$work"/docs/table.md
expect "may include 'high', which is no room above it"
fresh
echo '#pragma once' >"$work"/part/src/high/a.hpp
expect "room 'high' of part includes nothing of 'low' any more"
fresh
sed -i 's,/src/low),/src/lower),' "$work"/docs/table.md
expect "is in part/src/lower, which is not there"
fresh
sed -i '/| room of other/,$d' "$work"/docs/table.md
expect "there is no table of rooms of other"
fresh
sed -i '/| all/d' "$work"/docs/table.md
expect "there is no table of rooms of other"
fresh
sed -i 's/room of other/room of another/' "$work"/docs/table.md
expect "the table of rooms of another is not checked"
fresh
echo 'no table' >"$work"/docs/table.md
expect "there is no table of rooms of part"
rm -rf "$work"
exit $outcome
