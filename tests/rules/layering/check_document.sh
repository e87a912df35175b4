#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_document.sh ARCHITECTURE.md COMPONENT=[OTHER,...]...
# The table of the document has a row for each component, and says of it that it may include just these.
set -u
document=$1
shift

# component=other,other,... of each row, sorted. A row is "| NAME[, NAME]: what it is | folder | NAME, NAME |";
# libraries of others begin with a capital letter, and "nothing" is nothing.
told=$(awk -F'|' '
  /^\| component \| folder \| may include \|$/ { inside = 1; next }
  inside && !/^\|/ { inside = 0 }
  inside && $2 !~ /^ *-+ *$/ {
    sub(/:.*/, "", $2); gsub(/[ `]/, "", $2); gsub(/[ `]/, "", $4)
    print $2 " " $4
  }' "$document" | while read -r names others; do
  for name in ${names//,/ }; do
    printf '%s=%s\n' "$name" "$(tr ',' '\n' <<<"$others" | grep -E '^[a-z_]+$' | grep -vx nothing | sort | paste -sd,)"
  done
done | sort)
wanted=$(for entry in "$@"; do
  printf '%s=%s\n' "${entry%%=*}" "$(tr ',' '\n' <<<"${entry#*=}" | sed '/^$/d' | sort | paste -sd,)"
done | sort)

if [ "$told" != "$wanted" ]; then
  echo "the table of components in $document (<) is not that of tests/rules/layering/CMakeLists.txt (>):" >&2
  diff <(echo "$told") <(echo "$wanted") >&2
  exit 1
fi
