#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# stay_light.sh COMPILER ROOT...: what every program pays for `#include <sycl/sycl.hpp>`, in what can be counted: no
# heavy header of the standard library, and no more lines than the bound below. (tests/bench/compile_time.sh measures.)
set -u
compiler=$1
shift
lines_allowed=88000
heavy='iostream|fstream|iomanip|regex|random|filesystem|future|thread|locale|valarray|ranges|format|syncstream|complex|execution|memory_resource|deque|map|set|unordered_set|list|queue|stack'

flags=(-std=c++20 -E -P -x c++)
for root in "$@"; do flags+=(-I "$root"); done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '#include <sycl/sycl.hpp>' >"$work/program.cpp"
"$compiler" "${flags[@]}" -H "$work/program.cpp" >"$work/text" 2>"$work/headers" || exit 1

status=0
# As a program would name them, at whatever depth: /usr/include/c++/12/regex, but not .../bits/regex.h.
found=$(sed -n 's/^\.* //p' "$work/headers" | grep -E "/c\+\+/[^/]*/($heavy)$" | sort -u)
if [ -n "$found" ]; then
  echo "<sycl/sycl.hpp> includes heavy headers:" >&2
  echo "$found" >&2
  status=1
fi
lines=$(wc -l <"$work/text")
if [ "$lines" -gt "$lines_allowed" ]; then
  echo "<sycl/sycl.hpp> is $lines lines long after preprocessing, and $lines_allowed is the bound" >&2
  status=1
fi
echo "$lines lines, $(sort -u "$work/headers" | wc -l) headers, $compiler"
exit $status
