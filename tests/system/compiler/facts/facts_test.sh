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

test_recorded_kernels_that_name_whole_buffers_exchange_halo_rows_only() {
  "$pianolacc" -std=c++17 -O2 "$sources/halo.cpp" -o program
  PIANOLA_DEVICES=simulated:2 ./program >out
  # In each of two steps a row from either side.
  [ "$(cat out)" = '4 pages in a replay, 0 wrong' ] || fail "$(cat out)"
  PIANOLA_NARROW=off PIANOLA_DEVICES=simulated:2 ./program >out
  case "$(cat out)" in
  '4 pages'*) fail "there is no difference: $(cat out)" ;;
  *' 0 wrong') ;;
  *) fail "$(cat out)" ;;
  esac
  if PIANOLA_NARROW=maybe PIANOLA_DEVICES=simulated:2 ./program 2>err; then fail "it takes anything"; fi
  grep -q "PIANOLA_NARROW='maybe': it takes on or off" err || fail "$(cat err)"
}

test_recorded_kernels_run_in_parts_on_all_devices_and_move_what_parts_share_only() {
  "$pianolacc" -std=c++17 -O2 "$sources/split.cpp" -o program
  PIANOLA_DEVICES=simulated:4 ./program >out || fail "$(cat out)"
  # Of heat three borders, two rows of 94 inner elements at each, in both steps. Nothing of a product, whose operands stay. Of
  # bodies the positions, 24 from each device to the three others. Of the image the rows above and below the borders.
  cat >expected <<'END'
heat: same bytes, 4512 bytes move in each replay
matrix product: same bytes, 0 bytes move in each replay
n-body: same bytes, 1152 bytes move in each replay
image pipeline: same bytes, 2256 bytes move in each replay
END
  head -4 out | diff expected - >&2 || fail "other figures"
  # Of a sum of products, of 9216 elements each, the partial results: no more than 4 bytes for each of 144 blocks.
  moved=$(sed -n 's/^dot product: same bytes, \([0-9]*\) bytes move in each replay$/\1/p' out)
  [ "${moved:-0}" -gt 0 ] && [ "$moved" -le 576 ] || fail "of the sum: $(cat out)"
  PIANOLA_DEVICES=simulated:3:separate ./program >out || fail "$(cat out)"
  PIANOLA_DEVICES=openmp ./program >out || fail "$(cat out)"
}

test_files_of_graphs_tell_how_much_kernels_compute_and_what_they_reduce_into() {
  "$pianolacc" -std=c++17 -O2 "$sources/work.cpp" -o program
  PIANOLA_DEVICES=openmp PIANOLA_RECORD=recorded ./program >out
  # The sum over k of (1 + k) (k + 2).
  [ "$(cat out)" = '240 500 999' ] || fail "$(cat out)"
  tr -d ' \n' <recorded/graph-0.graph.json >graph
  # A product and a sum in each of 8 rounds, 64 times.
  grep -q '"work":{"bytes":[^,]*,"operations":1024[.}]' graph || fail "other operations: $(grep -o '"work":{[^}]*}' graph)"
  for by in add maximum; do
    grep -q "\"read\":true,\"written\":[a-z]*,\"reduced_by\":\"$by\"" graph || fail "nothing is reduced by $by"
  done
}

"test_$name"
