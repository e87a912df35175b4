#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_table_test.sh CMAKE WORK: check_table.cmake accepts a table that has everything, and names each kind of fault.
set -u
cmake=$1
work=$2
check=$(realpath "$(dirname "$0")")/check_table.cmake
outcome=0

# A project of three components, of which `far_down` has a word of two parts and `high` stands on the others.
fresh() {
  rm -rf "$work"
  mkdir -p "$work"/house/{far_down,low,high}/include/pianola/
  for component in far_down low high; do
    mkdir "$work/house/$component/include/pianola/$component"
    echo '#pragma once' >"$work/house/$component/include/pianola/$component/a.hpp"
  done
  cat >"$work"/CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.20)
project(house LANGUAGES NONE)
add_subdirectory(house)
add_subdirectory(table)
PROJECT
  cat >"$work"/house/CMakeLists.txt <<'HOUSE'
foreach(component far_down low high)
  add_library(pianola_${component}_headers INTERFACE)
  add_library(pianola_${component} INTERFACE)
endforeach()
add_library(pianola_program INTERFACE)
target_link_libraries(pianola_far_down INTERFACE pianola_far_down_headers)
target_link_libraries(pianola_low INTERFACE pianola_low_headers)
target_link_libraries(pianola_high INTERFACE pianola_low pianola_far_down_headers other)
HOUSE
  mkdir "$work"/table
  cat >"$work"/table/CMakeLists.txt <<TABLE
set(components far_down low high program)
set(roots_far_down house/far_down/include/pianola)
set(roots_low house/low/include/pianola)
set(roots_high house/high/include/pianola)
set(may_include_far_down)
set(may_include_low)
set(may_include_high low far_down)
include("$check")
check_table(house)
foreach(component IN LISTS components)
  check_linked(\${component} \${target_\${component}} INTERFACE_LINK_LIBRARIES)
endforeach()
TABLE
}
# expect WORDS: the check fails and says so; without WORDS it passes.
expect() {
  local said
  said=$("$cmake" -S "$work" -B "$work/build" 2>&1)
  local code=$?
  said=$(tr -s ' \n' ' ' <<<"$said")  # CMake breaks lines
  if [ $# -eq 0 ] && [ $code -ne 0 ]; then
    printf 'refused what is right:\n%s\n' "$said" >&2
    outcome=1
  elif [ $# -eq 1 ] && { [ $code -eq 0 ] || [[ $said != *"$1"* ]]; }; then
    printf 'did not say "%s" but:\n%s\n' "$1" "$said" >&2
    outcome=1
  fi
}
table() { sed -i "$1" "$work"/table/CMakeLists.txt; }
house() { sed -i "$1" "$work"/house/CMakeLists.txt; }

fresh
expect
# A component.
table 's/(components far_down/(components/; s/ far_down)/)/; s/^set(roots_low .*)/set(roots_low house\/low\/include\/pianola house\/far_down\/include\/pianola)/'
expect "'far_down' is a component, for there is 'pianola_far_down_headers'"
fresh
table 's/ program)/)/'
house '/program/d'
expect
# A root.
fresh
mv "$work"/house/low/include/pianola "$work"/house/low/include/moved
expect "there is no header in 'house/low/include/pianola', the include root of 'low'"
table 's,low/include/pianola,low/include/moved,'
expect
fresh
table 's/^set(roots_high .*)/set(roots_high)/'
expect "of no component are these include roots: house/high/include/pianola"
fresh
mkdir -p "$work"/house/new/include/pianola
expect "of no component are these include roots: house/new/include/pianola"
table 's,^check_table,set(names_of_other_headers house/new/include/pianola)\n&,'
expect
# A target.
fresh
table 's/^include(/set(target_program pianola_tool)\n&/'
expect "there is no target 'pianola_tool' whose includes could be tested"
table 's/^include(/set(not_built program)\n&/; /^foreach/,$d'
expect
# An edge.
fresh
table 's/may_include_low)/may_include_low program)/'
expect "'low' may include 'program', which has no headers"
fresh
table 's/may_include_low)/may_include_low deep)/'
expect "'low' may include 'deep', which has no headers"
fresh
table 's/_high low far_down)/_high low)/'
expect "'pianola_high' links 'far_down', which 'high' may not include"
fresh
table 's/_high low far_down)/_high far_down)/'
expect "'pianola_high' links 'low', which 'high' may not include"
# By one that may be linked, and by another name.
fresh
house '$a target_link_libraries(pianola_low INTERFACE Pianola::far_down)'
expect "'pianola_low' links 'far_down', which 'low' may not include"
table 's/may_include_low)/may_include_low far_down)/; s/_high low far_down)/_high low)/'
house 's/ pianola_far_down_headers other/ other/'
expect "'pianola_high' links 'far_down', which 'high' may not include"
rm -rf "$work"
exit $outcome
