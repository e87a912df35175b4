#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compile_headers.sh alone|together COMPILER STANDARD ROOT...
# Compiles each header below the ROOTs that programs include in a translation unit of its own (alone), or all
# headers in one (together), with no warning allowed and nothing but the ROOTs on the include path.
set -u
mode=$1 compiler=$2 standard=$3
shift 3

only_includes_one() {
  local includes
  includes=$(grep -vE '^ *(//.*|#pragma once)?$' "$1")
  [[ $includes =~ ^"#include <"[a-z0-9_/]+\.hpp\>$ ]]
}

flags=(-std=c++"$standard" -fsyntax-only -Wall -Wextra -Werror -x c++)
headers=()
for root in "$@"; do
  flags+=(-I "$root")
  [ -d "$root" ] || continue
  while IFS= read -r header; do
    # These come by way of others.
    [ "$mode" = together ] || [[ $header != */detail/* && $header != */glue/* ]] || continue
    # Another name of one header that is compiled itself.
    [ "$mode" = together ] || ! only_includes_one "$header" || continue
    headers+=("${header#"$root"/}")
  done < <(find "$root" -type f \( -name '*.hpp' -o -name '*.h' \) | LC_ALL=C sort)
done
if [ ${#headers[@]} -eq 0 ]; then
  echo "no headers below $*" >&2
  exit 1
fi

status=0
if [ "$mode" = together ]; then
  printf '#include <%s>\n' "${headers[@]}" | "$compiler" "${flags[@]}" - || status=1
else
  for header in "${headers[@]}"; do
    # Included twice: a missing include guard is an error too.
    if ! printf '#include <%s>\n' "$header" "$header" | "$compiler" "${flags[@]}" -; then
      echo "FAILED: $header does not compile by itself" >&2
      status=1
    fi
  done
fi
echo "${#headers[@]} headers, $mode, C++$standard, $compiler"
exit $status
