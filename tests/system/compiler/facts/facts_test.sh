#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# facts_test.sh NAME PIANOLACC WORK DRIVERS: what becomes of a program when the compiler knows the accesses of its kernels.
set -eu -o pipefail
name=$1 pianolacc=$2 work=$3 drivers=$4
sources=$(cd "$(dirname "$0")" && pwd)
. "$sources/../../../support/in_work.sh"
. "$sources/../../../support/precompiled.sh"

# compile [FLAG...] SOURCE OTHERS...: FLAGs of the language stand before the first source.
compile() {
  local flags=(-std=c++17 -O2) header
  while [ "${1#-}" != "$1" ]; do
    flags+=("$1")
    shift
  done
  mapfile -t header < <(precompiled "$pianolacc" "${flags[@]}")
  "$pianolacc" "${flags[@]}" "${header[@]}" "$@"
}

test_an_accessor_that_is_only_read_causes_one_transfer_per_device() {
  compile "$sources/transfers.cpp" -o program
  PIANOLA_DEVICES=simulated:2 ./program >out
  # To each device once; back and forth in every round.
  [ "$(cat out)" = 'reading 2, writing 8' ] || fail "$(cat out)"
}

test_a_chain_without_waits_between_parts_computes_the_same() {
  compile "$sources/chain.cpp" -o program
  for threads in 1 2 4; do
    [ "$(OMP_NUM_THREADS=$threads ./program)" = '0 wrong' ] || fail "with $threads threads"
  done
}

test_recorded_kernels_that_name_whole_buffers_exchange_halo_rows_only() {
  compile "$sources/halo.cpp" -o program
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
  grep -q "PIANOLA_NARROW='maybe': it takes on, off or everywhere" err || fail "$(cat err)"
}

test_kernels_outside_of_graphs_exchange_halo_rows_only_where_that_is_asked_for() {
  compile "$sources/halo.cpp" -o program
  PIANOLA_NARROW=everywhere PIANOLA_DEVICES=simulated:2 ./program eagerly >out
  [ "$(cat out)" = '4 pages in a replay, 0 wrong' ] || fail "$(cat out)"
  PIANOLA_DEVICES=simulated:2 ./program eagerly >out
  case "$(cat out)" in
  '4 pages'*) fail "it was not asked for: $(cat out)" ;;
  *' 0 wrong') ;;
  *) fail "$(cat out)" ;;
  esac
}

test_rows_that_are_far_apart_are_moved_without_those_between_them() {
  compile "$sources/far_rows.cpp" -o program
  PIANOLA_DEVICES=simulated:2 ./program >out
  [ "$(cat out)" = '16 pages in a round, 0 wrong' ] || fail "$(cat out)"
  PIANOLA_NARROW=everywhere PIANOLA_DEVICES=simulated:2 ./program eagerly >out
  [ "$(cat out)" = '16 pages in a round, 0 wrong' ] || fail "eagerly: $(cat out)"
  PIANOLA_NARROW=off PIANOLA_DEVICES=simulated:2 ./program >out
  [ "$(cat out)" = '64 pages in a round, 0 wrong' ] || fail "without: $(cat out)"
}

test_a_loop_that_nothing_ends_is_told_of() {
  compile --pianola-targets='host;simulated' "$sources/loops.cpp" -o program
  export PIANOLA_TEST_DRIVER_STRICT=1 PIANOLA_CUDA_DRIVER="$drivers/libcuda.so.1"
  export PIANOLA_HIP_RUNTIME="$drivers/libamdhip64.so.5"
  for devices in openmp simulated:1:separate cuda hip; do
    export PIANOLA_DEVICES=$devices
    ./program elsewhere >out
    grep -q 'add_while: no command of the body uses the memory of the condition, so the loop would never end; have a kernel of' out ||
      fail "$devices: $(cat out)"
    for how in there beside through_memory; do
      [ "$(./program $how)" = 3 ] || fail "$devices, $how"
    done
    PIANOLA_WAIT_HINT=0 ./program from_outside >out
    case "$devices $(cat told)" in
    'cuda pianola: warn: a recorded graph with a loop that the device runs by itself was launched 0 s ago and has not ended: '*) ;;
    cuda*) fail "cuda: $(cat told)" ;;
    *' pianola: warn: a loop of a recorded graph has run '*' times, and its condition has been 3 for 0 s: '*) ;;
    *) fail "$devices: $(cat told)" ;;
    esac
  done
}

test_races_of_kernels_for_usm_are_found_to_the_byte() {
  compile "$sources/usm_races.cpp" -o program
  for how in in_order disjoint_halves all_in_front_of_its_end; do
    PIANOLA_DEVICES=openmp PIANOLA_CHECK=1 ./program $how eager 2>err >/dev/null
    PIANOLA_DEVICES=openmp PIANOLA_CHECK=1 ./program $how recorded 2>>err >/dev/null
    [ ! -s err ] || fail "$how: $(cat err)"
  done
  while read -r how bytes; do
    for mode in eager recorded; do
      PIANOLA_DEVICES=openmp PIANOLA_CHECK=1 ./program $how $mode 2>err >/dev/null
      grep -q "^pianola: PIANOLA_CHECK: 1 found in " err || fail "$how, $mode: $(cat err)"
      grep -q "^race for bytes $bytes of allocation" err || fail "$how, $mode: $(cat err)"
      grep -q "at usm_races.cpp:[0-9]* writes them" err || fail "$how, $mode, no line: $(cat err)"
    done
  done <<'END'
overlapping_halves 2048 to 2052
no_order 0 to 4096
read_by_a_copy 4000 to 4004
in_front_of_its_end_and_no_order 0 to 4096
END
}

test_what_kernels_do_outside_of_allocations_is_found_to_the_byte() {
  compile "$sources/usm_races.cpp" -o program
  while read -r how begin to end does; do
    for mode in eager recorded; do
      PIANOLA_DEVICES=openmp PIANOLA_CHECK=1 ./program $how $mode 2>err >/dev/null
      grep -q "^pianola: PIANOLA_CHECK: 1 found in " err || fail "$how, $mode: $(cat err)"
      grep -q "^out of bounds: bytes $begin $to $end of allocation" err || fail "$how, $mode: $(cat err)"
      grep -q "main.* at usm_races.cpp:[0-9]* $does" err || fail "$how, $mode, no line: $(cat err)"
    done
  done <<'END'
written_behind_its_end 1001 to 1003 writes them, which are behind its end
read_behind_its_end 4096 to 4100 reads them, which are behind its end
read_in_front_of_it -8 to 0 reads them, which are in front of its beginning
END
}

test_reads_of_buffers_that_nobody_has_written_are_found_to_the_byte() {
  compile "$sources/usm_races.cpp" -o program
  export PIANOLA_DEVICES=openmp PIANOLA_CHECK=1
  for mode in eager recorded; do
    ./program buffer_read_beyond_what_is_written $mode 2>err >/dev/null
    grep -q "^pianola: PIANOLA_CHECK: 1 found in " err || fail "$mode: $(cat err)"
    grep -q "^never written: bytes 400 to 4056 of buffer 0 (4 KiB)" err || fail "$mode: $(cat err)"
    grep -q "at usm_races.cpp:[0-9]* reads them, and neither the host nor" err || fail "$mode, no line: $(cat err)"
    ./program buffer_read_where_it_is_written $mode 2>err >/dev/null
    [ ! -s err ] || fail "$mode: $(cat err)"
  done
}

test_kernels_of_recorded_runs_are_checked_with_facts_and_counted_without() {
  compile "$sources/usm_races.cpp" -o program
  tool=$(dirname "$pianolacc")/pianola
  export PIANOLA_DEVICES=openmp
  "$tool" record -- ./program overlapping_halves eager 2>/dev/null
  "$tool" check recorded >out || fail "found without facts: $(cat out)"
  grep -q '^3 kernels that use USM were not looked at, .*record --facts' out || fail "$(cat out)"
  "$tool" check recorded --json | grep -q '"kernels_not_known": 3' || fail "$("$tool" check recorded --json)"
  "$tool" record --facts -- ./program overlapping_halves eager 2>/dev/null
  if "$tool" check recorded >out; then fail "nothing found with facts"; fi
  grep -q '^race for bytes 2048 to 2052 of allocation' out || fail "$(cat out)"
  if grep 'looked at' out >&2; then fail "kernels are not known"; fi
  if PIANOLA_RECORD=recorded PIANOLA_RECORD_FACTS=maybe ./program in_order eager 2>err; then fail "it takes anything"; fi
  grep -q "PIANOLA_RECORD_FACTS='maybe': it takes on or off" err || fail "$(cat err)"
}

# Of the programs of split.cpp: the commands that were cut.
expect_cut() {
  cat >expected <<'END'
2 of 2
1 of 1
2 of 2
3 of 3
6 of 9
1 of 2
END
  sed -n 's/.*info: \([0-9]* of [0-9]*\) commands run in parts.*/\1/p' log | diff expected - >&2 ||
    fail "other kernels were cut: $(cat log)"
}

# Two devices of the stand-in for a driver.
with_double() {
  PIANOLA_TEST_DRIVER_STRICT=1 PIANOLA_TEST_DRIVER_DEVICES=2 PIANOLA_LOG=info PIANOLA_DEVICES=$1 \
    PIANOLA_CUDA_DRIVER="$drivers/libcuda.so.1" PIANOLA_HIP_RUNTIME="$drivers/libamdhip64.so.5" \
    ./program >out 2>log || fail "$(cat out log)"
}

test_recorded_kernels_run_in_parts_on_all_devices_and_move_what_parts_share_only() {
  compile "$sources/split.cpp" -o program
  PIANOLA_LOG=info PIANOLA_DEVICES=simulated:4 ./program >out 2>log || fail "$(cat out)"
  # Dot products are cut between rows of partial results, and combined whole.
  expect_cut
  # Of heat three borders, two rows of 94 inner elements at each, in both steps. Nothing of a product, whose operands stay. Of
  # bodies the positions, 24 from each device to the three others. Of the image the rows above and below the borders.
  cat >expected <<'END'
heat: same bytes, 4512 bytes move in each replay
matrix product: same bytes, 0 bytes move in each replay
n-body: same bytes, 1152 bytes move in each replay
image pipeline: same bytes, 2256 bytes move in each replay
END
  grep -v '^\(conjugate gradients\|dot product\): same bytes, ' out | diff expected - >&2 || fail "other figures"
  # Of a sum of products, of 9216 elements each, the partial results: no more than 4 bytes for each of 144 blocks.
  moved=$(sed -n 's/^dot product: same bytes, \([0-9]*\) bytes move in each replay$/\1/p' out)
  [ "${moved:-0}" -gt 0 ] && [ "$moved" -le 576 ] || fail "of the sum: $(cat out)"
  PIANOLA_DEVICES=simulated:3:separate ./program >out || fail "$(cat out)"
  PIANOLA_DEVICES=openmp ./program >out || fail "$(cat out)"
  # Parts of the processor: the same kernels are cut, and nothing moves.
  OMP_NUM_THREADS=4 PIANOLA_LOG=info PIANOLA_DEVICES=openmp:4 ./program >out 2>log || fail "$(cat out)"
  expect_cut
  if grep -v 'same bytes, 0 bytes move in each replay$' out >&2; then fail "something moves"; fi
}

# Of the same program: what `split` says by default, on machines that differ in their links.
test_kernels_run_in_parts_where_that_pays_by_the_measured_machine() {
  compile "$sources/where_it_pays.cpp" -o program
  export PIANOLA_DEVICES=simulated:4
  # A tiny kernel takes less than a border takes to get to its neighbour; of a large one a quarter and a border take less
  # than the whole.
  ./program machine 1e-5 1e9 >machine.json
  PIANOLA_TOPOLOGY=machine.json ./program run app.plan.json >out
  [ "$(cat out)" = $'tiny: whole\nlarge: in parts' ] || fail "$(cat out)"
  # What is one device's own does not move at all.
  PIANOLA_TOPOLOGY=machine.json ./program bytes app.plan.json >out
  [ "$(cat out)" = $'tiny: whole\nlarge: whole' ] || fail "$(cat out)"
  # Here a row of 4 KiB takes longer than all that there is to compute.
  ./program machine 1e-5 1e5 >machine.json
  PIANOLA_TOPOLOGY=machine.json ./program run app.plan.json >out
  [ "$(cat out)" = $'tiny: whole\nlarge: whole' ] || fail "$(cat out)"
}

test_parts_run_on_graphics_processors_and_move_halo_rows_only() {
  compile --pianola-targets='host;simulated' "$sources/split.cpp" -o program
  # One border: two rows of 94 inner elements in both steps; 48 positions either way; a row above and one below.
  cat >figures <<'END'
heat: same bytes, 1504 bytes move in each replay
matrix product: same bytes, 0 bytes move in each replay
n-body: same bytes, 384 bytes move in each replay
image pipeline: same bytes, 752 bytes move in each replay
END
  for vendor in cuda hip; do
    with_double $vendor
    expect_cut
    grep -v '^\(conjugate gradients\|dot product\): same bytes, ' out | diff figures - >&2 || fail "other figures"
  done
}

test_kernels_in_parts_are_saved_and_take_other_values_in_what_is_loaded() {
  compile --pianola-targets='host;simulated' "$sources/saved_parts.cpp" -o program
  for devices in simulated:4 cuda; do
    export PIANOLA_TEST_DRIVER_STRICT=1 PIANOLA_TEST_DRIVER_DEVICES=2 PIANOLA_CUDA_DRIVER="$drivers/libcuda.so.1"
    export PIANOLA_DEVICES=$devices
    PIANOLA_LOG=info ./program save app.pexe >out 2>log || fail "$(cat out log)"
    [ "$(cat out)" = 'same bytes, planned' ] || fail "$(cat out)"
    grep -q '3 of 3 commands run in parts' log || fail "not all were cut: $(cat log)"
    for how in '' bound update; do
      ./program load app.pexe $how >out || fail "$how: $(cat out)"
      [ "$(cat out)" = 'same bytes, nothing planned' ] || fail "$how: $(cat out)"
    done
    # What parts move follows from what they touch.
    ./program load app.pexe count >out || fail "$(cat out)"
    grep -q "touches other elements than those that the graph was planned for" out || fail "$(cat out)"
    grep -q 'same bytes, nothing planned' out || fail "$(cat out)"
    ./program load app.pexe whole >out || fail "$(cat out)"
    grep -q "the graph was loaded with kernels in parts" out || fail "$(cat out)"
  done
}

# A graph that was recorded whole, on a machine of which it is known what it takes.
test_kernels_are_cut_by_the_tool_and_run_in_parts_as_its_plan_says() {
  compile "$sources/saved_parts.cpp" -o program
  compile "$sources/where_it_pays.cpp" -o tell
  tool=$(dirname "$pianolacc")/pianola
  export PIANOLA_DEVICES=simulated:4
  ./tell machine 1e-5 1e9 >machine.json
  # One of the devices is faster than the others, which the program itself does not know.
  sed 's/"operations":1e9/"operations":3e9/; s/"bandwidth":1e9/"bandwidth":3e9/' machine.json >unequal.json
  PIANOLA_RECORD=recorded ./program whole >out || fail "$(cat out)"
  [ "$(cat out)" = 'same bytes, planned' ] || fail "$(cat out)"
  graph=recorded/graph-0.graph.json
  mkdir plans
  "$tool" plan "$graph" --split -o plans/app.plan.json --topology unequal.json
  [ "$("$tool" verify "$graph" plans/app.plan.json)" = valid ] || fail "it is not right"
  "$tool" simulate "$graph" plans/app.plan.json --topology unequal.json >report
  grep -q makespan report || fail "$(cat report)"
  for plan in plans plans/app.plan.json; do
    PIANOLA_PLAN=$plan PIANOLA_LOG=info ./program run >out 2>log || fail "$(cat out log)"
    [ "$(cat out)" = 'same bytes, nothing planned' ] || fail "$(cat out log)"
    grep -q '3 of 3 commands run in parts, 12 commands in all' log || fail "$(cat log)"
  done
  PIANOLA_PLAN=plans ./program whole >out 2>log || fail "$(cat out log)"
  [ "$(cat out)" = 'same bytes, planned' ] || fail "whole kernels were asked for: $(cat out log)"
}

test_work_items_of_parts_are_told_what_those_of_the_whole_kernel_are() {
  compile --pianola-targets='host;simulated' -Wno-deprecated-declarations \
    "$sources/part_ids.cpp" -o program
  for vendor in cuda hip; do
    with_double $vendor
    [ "$(cat out)" = '0 numbers differ' ] || fail "$(cat out)"
    # Of one of the twelve the compiler does not follow the stores, so it may stay whole.
    [ "$(grep -c '1 of 1 commands run in parts' log)" -ge 11 ] || fail "not all were cut: $(cat log)"
  done
}

test_files_of_graphs_tell_how_much_kernels_compute_and_what_they_reduce_into() {
  compile "$sources/work.cpp" -o program
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
