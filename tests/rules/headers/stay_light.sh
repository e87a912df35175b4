#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# stay_light.sh COMPILER ROOT...: what every program pays for `#include <sycl/sycl.hpp>`, in what can be counted: no
# heavy header of the standard library, no more lines than the bound below, and, as clang counts them, no more statements and
# expressions: bodies of functions that are no templates have every program instantiate what they need of the standard
# library, and belong to sycl/src. A program that includes what it uses (sycl/khr/split_headers) has a bound of its own.
# (tests/bench/compile_time.sh measures.)
set -u
compiler=$1
shift
lines_allowed=88000
statements_allowed=420620
split_statements_allowed=278000
heavy='iostream|fstream|iomanip|regex|random|filesystem|future|thread|locale|valarray|ranges|format|syncstream|execution|memory_resource|deque|map|set|unordered_set|list|queue|stack'

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
# count_statements FILE: of all that is declared, used or not.
count_statements() {
  "$compiler" "${flags[@]/#-[EP]/-fsyntax-only}" -Xclang -print-stats "$1" 2>&1 | sed -nE 's|^ *([0-9]+) stmts/exprs total.*|\1|p'
}

# expect_few FILE BOUND WHAT
expect_few() {
  statements=$(count_statements "$1")
  if [ -z "$statements" ] || [ "$statements" -gt "$2" ]; then
    echo "$3 has ${statements:-an unknown number of} statements and expressions, and $2 is the bound" >&2
    status=1
  fi
}

statements=
if [[ ${compiler##*/} == clang* ]]; then
  for header in queue handler buffer accessor usm index_space; do
    echo "#include <sycl/khr/split_headers/$header.hpp>"
  done >"$work/split.cpp"
  expect_few "$work/split.cpp" "$split_statements_allowed" "what queues, buffers and USM need of <sycl/khr/split_headers/>"
  expect_few "$work/program.cpp" "$statements_allowed" "<sycl/sycl.hpp>"
fi
echo "$lines lines, ${statements:+$statements statements and expressions, }$(sort -u "$work/headers" | wc -l) headers, $compiler"
exit $status
