#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# figures_test.sh PYTHON WORK: figures.py counts what it says, and fails where that is more than the document's bound.
set -u
python=$("$1" -c "import sys; print(sys.executable)")  # where that is a script which looks for it
work=$2
figures=$(dirname "$0")/figures.py
outcome=0

rm -rf "$work"
mkdir -p "$work"/docs "$work"/recorder/{low,high}/{include/pianola,src/inner} "$work"/executors/runtime/src/machine
echo '#include <pianola/low.hpp>' >"$work"/recorder/high/include/pianola/high.hpp
echo '#pragma once' >"$work"/recorder/low/include/pianola/low.hpp
cat >"$work"/recorder/low/src/inner/tree.hpp <<'SOURCE'
namespace here {
enum class kind { one, two };
class tree {
  int depth() const { return 1; }  // {
  int height_ = 0;
};
}  // namespace here
SOURCE
cat >"$work"/recorder/low/src/inner/tree.cpp <<'SOURCE'
#include "inner/tree.hpp"
namespace here {
tree::tree() : height_{1},
               other_(2) {
  for (;;) {
    break;
  }
}
}  // namespace here
SOURCE
echo 'int here::tree::size() const { return 1; }' >"$work"/recorder/low/src/inner/size.cpp
echo '#include "machine/machine.hpp"' >"$work"/executors/runtime/src/machine/machine.cpp
echo '#pragma once' >"$work"/executors/runtime/src/machine/machine.hpp
cat >"$work"/docs/figures.md <<'TABLE'
| figure | before | at most |
| --- | --- | --- |
| files in one folder | 9 | 3 |
| files in one folder of the runtime | 9 | 2 |
| components that are in a circle of includes | 9 | 0 |
| folders that are in a circle of includes | 9 | 0 |
| lines of one function | 9 | 6 |
| files that include the runtime's machine | 9 | 1 |
| classes in several files and in no folder of their name | 9 | 1 |
TABLE
# expect CODE WORDS: ends so, and says that.
expect() {
  local said
  said=$("$python" "$figures" "$work" docs/figures.md 2>&1)
  local code=$?
  if [ $code -ne "$1" ] || [[ $said != *"$2"* ]]; then
    printf 'ended with %s and did not say "%s" but:\n%s\n' $code "$2" "$said" >&2
    outcome=1
  fi
}
expect 0 "| files in one folder | 3 | recorder/low/src/inner |"
expect 0 "| files in one folder of the runtime | 2 |"
expect 0 "| lines of one function | 6 | tree::tree in recorder/low/src/inner/tree.cpp |"
expect 0 "| files that include the runtime's machine | 1 |"
expect 0 "| classes in several files and in no folder of their name | 1 | tree (2) |"
sed -i 's/| 9 | 6 |/| 9 | 5 |/' "$work"/docs/figures.md
expect 1 "lines of one function: 6, and docs/figures.md says 5 at most: tree::tree in"
sed -i 's/| lines of one/| lines of a/' "$work"/docs/figures.md
expect 1 "the table of figures has no bound for 'lines of one function'"
expect 1 "there is no figure 'lines of a function'"
sed -i 's/| lines of a function | 9 | 5/| lines of one function | 9 | 6/' "$work"/docs/figures.md
echo '#include <pianola/high.hpp>' >>"$work"/recorder/low/src/inner/tree.cpp
expect 1 "components that are in a circle of includes: 2, and docs/figures.md says 0 at most: recorder/high recorder/low"
echo '#include "inner/tree.hpp"' >>"$work"/recorder/low/include/pianola/low.hpp
echo '#include <pianola/low.hpp>' >>"$work"/recorder/low/src/inner/tree.hpp
expect 1 "folders that are in a circle of includes: 3"
mkdir "$work"/recorder/low/src/inner/tree
mv "$work"/recorder/low/src/inner/{tree,size}.cpp "$work"/recorder/low/src/inner/tree
expect 1 "| classes in several files and in no folder of their name | 0 |"
rm -rf "$work"
exit $outcome
