#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_includes.sh COMPILER ALLOWED FORBIDDEN [-I<dir>...]
# With that include path and nothing else of the project, each header of ALLOWED (names, separated by commas) compiles and
# none of FORBIDDEN is found.
set -u
compiler=$1 allowed=$2 forbidden=$3
shift 3
status=0

for header in ${allowed//,/ }; do echo "#include <$header>"; done |
  LC_ALL=C "$compiler" -std=c++20 -fsyntax-only "$@" -x c++ - ||
  { echo "an include that is allowed does not compile" >&2; status=1; }
for header in ${forbidden//,/ }; do
  printf '#if __has_include(<%s>)\n#error a forbidden include is found: %s\n#endif\n' "$header" "$header"
done | LC_ALL=C "$compiler" -std=c++20 -E "$@" -x c++ - >/dev/null || status=1
exit $status
