#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_extensions.sh ROOT COMPILER: docs/extensions.md lists exactly the feature macros that <sycl/sycl.hpp> defines, each with
# a test that exists, and none for what does not work.
set -u -o pipefail
root=$1
compiler=$2
table="$root/docs/extensions.md"
outcome=0
complain() {
  echo "docs/extensions.md: $1"
  outcome=1
}

macros=$(echo '#include <sycl/sycl.hpp>' |
  "$compiler" -std=c++20 -x c++ -dM -E -I"$root/sycl/include" -I"$root/executors/runtime/include" \
    -I"$root/recorder/model/include" -I"$root/compiler/abi/include" - |
  sed -n -E 's/^#define ((SYCL_EXT|SYCL_KHR|ACPP_EXT|HIPSYCL_EXT)_[A-Z0-9_]+) .*/\1/p' |
  grep -v '^SYCL_EXT_PIANOLA_BACKEND_' | sort -u) # which backends there are, SYCL 2020 asks to tell
if [ -z "$macros" ]; then
  echo "<sycl/sycl.hpp> defines no feature macros"
  exit 1
fi

clang=no
if "$compiler" -x c++ -dM -E - </dev/null | grep -q '__clang__'; then clang=yes; fi

listed=""
rows=0
while IFS='|' read -r _ name macro state test _; do
  name=$(echo "$name" | xargs)
  macro=$(echo "$macro" | tr -d '`' | xargs)
  state=$(echo "$state" | xargs)
  rows=$((rows + 1))
  file=$(echo "$test" | sed -n -E 's/.*\]\((.*)\).*/\1/p')
  case "$state" in
    yes | accepted | partly | Clang)
      if [ -z "$file" ] || [ ! -e "$root/docs/$file" ]; then complain "'$name' has no test: '$file'"; fi
      ;;
    no) ;;
    *) complain "'$name' has the state '$state'" ;;
  esac
  if [ -n "$macro" ]; then
    if [ "$state" = Clang ]; then
      if [ "$clang" = no ]; then
        if grep -qx "$macro" <<<"$macros"; then complain "'$name' is for Clang, and $macro is defined"; fi
        continue
      fi
      state=yes
    fi
    listed="$listed$macro"$'\n'
    case "$state" in
      yes | accepted)
        grep -qx "$macro" <<<"$macros" || complain "'$name' works, but $macro is not defined"
        ;;
      *) complain "'$name' is '$state' and yet has a macro" ;;
    esac
  fi
done < <(grep -E '^\| ' "$table" | grep -v '^| Extension ')

for macro in $macros; do
  count=$(grep -cx "$macro" <<<"$listed")
  [ "$count" = 1 ] || complain "$macro is defined and listed $count times"
done
echo "$rows extensions, $(wc -w <<<"$macros") macros"
exit $outcome
