#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compile_use.sh FILE COMPILER STANDARD ROOT...: compiles a program as others write them, with no warning allowed: as it
# is, and with the options behind each line "// also with: " in it.
set -u
file=$1 compiler=$2 standard=$3
shift 3
flags=(-std=c++"$standard" -fsyntax-only -Wall -Wextra -Werror)
for root in "$@"; do flags+=(-I "$root"); done
status=0
while read -ra options; do
  "$compiler" "${flags[@]}" "${options[@]}" "$file" || { echo "FAILED: ${options[*]}" >&2; status=1; }
done < <(echo; sed -n 's|^// also with: ||p' "$file")
exit $status
