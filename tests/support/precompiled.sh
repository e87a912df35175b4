# SPDX-License-Identifier: Apache-2.0
# precompiled COMPILER FLAG...
# Prints the options, one per line, with which COMPILER FLAG... takes <sycl/sycl.hpp> from a precompiled header. It is
# made when it is first asked for, in the folder $PRECOMPILED_HEADERS, and again when a header or the compiler has
# changed; many tests share it, since reading the headers is most of what compiling a small program costs. Nothing is
# printed where the variable is empty. The flags are those that matter to the language: no sources, no libraries.
precompiled() {
  [ -n "${PRECOMPILED_HEADERS:-}" ] || return 0
  local compiler=$1 flag key made suffix=pch depends=() tree flags=()
  shift
  [[ $compiler == *g++* && $compiler != *clang* ]] && suffix=gch
  # What clang reads of a header does not depend on these: one serves for all.
  while [ $# -gt 0 ]; do
    flag=$1
    shift
    if [ $suffix = pch ]; then
      case $flag in
        -mllvm) shift; continue ;;
        -O[123]) flag=-O2 ;;
        --pianola-targets=* | -DPIANOLA_TEST_* | -w | -Wall | -Wextra | -Werror) continue ;;
      esac
    fi
    flags+=("$flag")
  done
  set -- "${flags[@]}"
  depends=("$(command -v "$compiler")")
  for flag; do
    case $flag in
      -I?*) depends+=("${flag#-I}") ;;
      -fplugin=*) depends+=("${flag#-fplugin=}") ;;
    esac
  done
  if [[ ${compiler##*/} == pianolacc ]]; then
    tree=$(cd "$(dirname "$(readlink -f "${depends[0]}")")/.." && pwd)
    for flag in "$tree"/lib*/pianola "$tree"/include/Pianola; do
      [ ! -e "$flag" ] || depends+=("$flag")
    done
    if [ -f "$tree/lib/pianola/pianolacc-build-tree.txt" ]; then
      mapfile -t -O ${#depends[@]} depends <"$tree/lib/pianola/pianolacc-build-tree.txt"
    fi
  fi
  key=$(printf '%s\n' "$compiler" "$@" | sha1sum | cut -c 1-16)
  made=$PRECOMPILED_HEADERS/$key/sycl.hpp
  mkdir -p "$PRECOMPILED_HEADERS/$key" || return 1
  (
    flock 9 || exit 1
    if [ ! -s "$made.$suffix" ] ||
      [ -n "$(find -L "${depends[@]}" -type f -newer "$made.$suffix" -print -quit)" ]; then
      rm -f "$made.$suffix"
      echo '#include <sycl/sycl.hpp>' >"$made"
      "$compiler" "$@" -x c++-header "$made" -o "$made.$suffix.part" >&2 && mv "$made.$suffix.part" "$made.$suffix"
    fi
  ) 9>"$PRECOMPILED_HEADERS/$key/lock" || return 1
  if [ "$suffix" = gch ]; then
    printf '%s\n' -include "$made" -Winvalid-pch
  else
    printf '%s\n' -include-pch "$made.$suffix"
  fi
}
