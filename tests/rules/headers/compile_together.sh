#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compile_together.sh COMPILER STANDARD ROOT...
# Compiles all headers below the ROOTs in one translation unit, with no warning allowed and nothing but the ROOTs on the
# include path.
set -u
compiler=$1 standard=$2
shift 2

flags=(-std=c++"$standard" -fsyntax-only -Wall -Wextra -Werror -x c++)
headers=()
for root in "$@"; do
  flags+=(-I "$root")
  [ -d "$root" ] || continue
  while IFS= read -r header; do
    headers+=("${header#"$root"/}")
  done < <(find "$root" -type f \( -name '*.hpp' -o -name '*.h' \) | LC_ALL=C sort)
done
if [ ${#headers[@]} -eq 0 ]; then
  echo "no headers below $*" >&2
  exit 1
fi
printf '#include <%s>\n' "${headers[@]}" | "$compiler" "${flags[@]}" - || exit 1
echo "${#headers[@]} headers, together, C++$standard, $compiler"
