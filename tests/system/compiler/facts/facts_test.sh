#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# facts_test.sh NAME PIANOLACC WORK: what becomes of a program when the compiler knows the accesses of its kernels.
set -eu -o pipefail
name=$1 pianolacc=$2 work=$3
sources=$(cd "$(dirname "$0")" && pwd)
. "$sources/../../../support/in_work.sh"

test_an_accessor_that_is_only_read_causes_one_transfer_per_device() {
  "$pianolacc" -std=c++17 -O2 "$sources/transfers.cpp" -o program
  PIANOLA_DEVICES=simulated:2 ./program >out
  # To each device once; back and forth in every round.
  [ "$(cat out)" = 'reading 2, writing 8' ] || fail "$(cat out)"
}

test_a_chain_without_waits_between_parts_computes_the_same() {
  "$pianolacc" -std=c++17 -O2 "$sources/chain.cpp" -o program
  for threads in 1 2 4; do
    [ "$(OMP_NUM_THREADS=$threads ./program)" = '0 wrong' ] || fail "with $threads threads"
  done
}

"test_$name"
