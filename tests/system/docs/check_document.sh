#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_document.sh ROOT DOCUMENT WORK PREFIX COMPILER...
# Tries out the examples of a document, in order, in the empty folder WORK, against the Pianola that is installed
# in PREFIX. Every fenced block must say what it is, in a comment on a line before it:
#   <!-- try: file NAME -->   is written to NAME
#   <!-- try: program -->     a whole program: compiles with every COMPILER as C++17 without warnings, and exits with 0
#   <!-- try: fragment -->    the same, between fragment_head.txt and a closing brace
#   <!-- try: run -->         runs in bash and exits with 0; `$prefix` is PREFIX, `$root` is ROOT
#   <!-- try: fails N -->     runs in bash and exits with N
#   <!-- try: output -->      what the last run or program wrote, where [...] stands for anything within a line
#   <!-- try: not WHY -->     is not tried
# What examples need and nobody need read is in a comment that begins with the line "<!-- prepare" and ends with "-->": it runs
# as `run` does. Commands outside of fenced blocks are not allowed: nobody would try them.
set -u
root=$1 document=$2 work=$3 prefix=$4
shift 4
compilers=("$@")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/precompiled.sh"
unset PIANOLA_DEVICES PIANOLA_RECORD PIANOLA_LOG PIANOLA_PLUGIN_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH Pianola_DIR
export prefix root PATH="$prefix/bin:$PATH"
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
outcome=0
tried=0
: >last-output

complain() {
  echo "$document:$1: $2" >&2
  outcome=1
}

compile_and_run() {
  local line=$1 source=$2 compiler flags=(-std=c++17 -Wall -Wextra -Werror "-I$prefix/include/Pianola") header
  for compiler in "${compilers[@]}"; do
    mapfile -t header < <(precompiled "$compiler" "${flags[@]}")
    if ! "$compiler" "${flags[@]}" "${header[@]}" "$source" -o program \
      "-L$prefix/lib" "-Wl,-rpath,$prefix/lib" -lpianola; then
      complain "$line" "the example does not compile with $compiler"
      return
    fi
    if ! ./program >last-output 2>&1; then
      cat last-output >&2
      complain "$line" "the example fails when compiled with $compiler"
      return
    fi
  done
}

run() {
  local line=$1 wanted=$2 status
  bash -eu "$work/block" >last-output 2>&1
  status=$?
  if [ $status -ne "$wanted" ]; then
    cat last-output >&2
    complain "$line" "the commands end with status $status and not $wanted"
  fi
}

compare() {
  local line=$1 number=0 pattern
  local -a expected got
  mapfile -t expected <block
  mapfile -t got <last-output
  if [ ${#expected[@]} -ne ${#got[@]} ]; then
    complain "$line" "the output has ${#got[@]} lines, the document shows ${#expected[@]}:"
    cat last-output >&2
    return
  fi
  for number in "${!expected[@]}"; do
    # Everything is literal but [...].
    pattern=$(printf '%s' "${expected[number]}" | sed -e 's/\[\.\.\.\]/\x01/g' -e 's/[][*?\\]/\\&/g' -e 's/\x01/*/g')
    # shellcheck disable=SC2053  # a pattern is meant
    if [[ ${got[number]} != $pattern ]]; then
      complain $((line + number + 1)) "the document shows"
      printf '  %s\n but the output is\n  %s\n' "${expected[number]}" "${got[number]}" >&2
    fi
  done
}

handle() {
  local line=$1 what=$2
  tried=$((tried + 1))
  case $what in
    'file '*) mkdir -p "$(dirname "${what#file }")" && cp block "${what#file }" ;;
    program) cp block program.cpp && compile_and_run "$line" program.cpp ;;
    fragment)
      { cat "$here/fragment_head.txt" block && echo '}'; } >fragment.cpp
      compile_and_run "$line" fragment.cpp
      ;;
    run) run "$line" 0 ;;
    'fails '*) run "$line" "${what#fails }" ;;
    output) compare "$line" ;;
    'not '*) ;;
    *) complain "$line" "no '<!-- try: ... -->' that tells what this block is (see $(basename "$0")): '$what'" ;;
  esac
}

mark='' number=0 inside=0 start=0 preparing=0
while IFS= read -r text || [ -n "$text" ]; do
  number=$((number + 1))
  if [ $inside -eq 1 ]; then
    if [ "$text" = '```' ]; then
      inside=0
      handle $start "$mark"
      mark=''
    else
      printf '%s\n' "$text" >>block
    fi
  elif [ $preparing -eq 1 ]; then
    if [ "$text" = '-->' ]; then
      preparing=0
      run $start 0
    else
      printf '%s\n' "$text" >>block
    fi
  elif [ "$text" = '<!-- prepare' ]; then
    preparing=1 start=$number
    : >block
  elif [[ $text =~ ^' '{4}' '*(pianola|pianolacc|PIANOLA_[A-Z_]*=.*|\./[a-z].*|cmake|ctest|g\+\+|python3)' ' ]]; then
    complain $number 'commands belong into a fenced block, where they are tried'
  elif [[ $text == '```'* ]]; then
    inside=1 start=$number
    : >block
  elif [[ $text =~ ^'<!-- try: '(.*)' -->'$ ]]; then
    mark=${BASH_REMATCH[1]}
  fi
done <"$root/$document"
[ $inside -eq 0 ] && [ $preparing -eq 0 ] || complain $start "the block is not closed"
[ $tried -gt 0 ] || complain 1 "there is no example"
echo "$document: $tried blocks"
exit $outcome
