#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# programs_test.sh NAME VENDOR TESTS PROGRAMS WORK: test_NAME with the backend VENDOR (cuda or hip) in the empty folder
# WORK: a program whose driver is missing, too old or without a device, whose image is another one's, whose memory runs
# out, whose kernel traps, which ends without a wait. TESTS is where the build has its tests' libraries.
# programs_test.sh compile PIANOLACC PROGRAMS: makes the programs, in the empty folder PROGRAMS.
set -eu -o pipefail
sources=$(cd "$(dirname "$0")" && pwd)
if [ "$1" = compile ]; then
  pianolacc=$2 work=$3
  . "$sources/../../../support/in_work.sh"
  for program in compute memory prints trap; do
    "$pianolacc" -std=c++17 -O1 --pianola-targets='host;simulated' "$sources/$program.cpp" -o $program
  done
  "$pianolacc" -std=c++17 -O1 --pianola-targets=host "$sources/compute.cpp" -o compute_on_host
  exit
fi
name=$1 vendor=$2 tests=$3 programs=$4 work=$5
. "$sources/../../../support/in_work.sh"
unset CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES PIANOLA_DEVICES
unset "${!PIANOLA_TEST_DRIVER_@}"
export LC_ALL=C PIANOLA_TEST_DRIVER_STRICT=1
if [ "$vendor" = cuda ]; then
  variable=PIANOLA_CUDA_DRIVER other=PIANOLA_HIP_RUNTIME api=CUDA double=$tests/drivers/libcuda.so.1
else
  variable=PIANOLA_HIP_RUNTIME other=PIANOLA_CUDA_DRIVER api=HIP double=$tests/drivers/libamdhip64.so.5
fi
export "$variable=$double" "$other=/nowhere/no-driver.so"

# ends STATUS COMMAND...: it ends by itself with that status; what it said is in `said`.
ends() {
  local wanted=$1 status=0
  shift
  said=$(timeout 600 "$@" 2>err) || status=$?
  [ $status -eq "$wanted" ] || fail "$*: status $status and not $wanted: $said; $(cat err)"
}
says() {
  local part
  for part in "$@"; do [[ $said == *"$part"* ]] || fail "no '$part' in: $said"; done
}

# unusable SETTING... -- PART...: with these settings the program that asks for the backend is told so, the one that does
# not runs on the processor and says nothing of it.
unusable() {
  local settings=()
  while [ "$1" != -- ]; do settings+=("$1"); shift; done
  shift
  ends 3 env "${settings[@]}" "PIANOLA_DEVICES=$vendor" "$programs/compute" gpu
  says "PIANOLA_DEVICES='$vendor': backend '$vendor' is not usable here: " "$@"
  [ "$(wc -l <<<"$said")" -eq 1 ] || fail "more than one line: $said"
  ends 0 env "${settings[@]}" "$programs/compute"
  [ "$said" = 'cpu 128' ] || fail "without PIANOLA_DEVICES: $said"
  [ ! -s err ] || fail "without PIANOLA_DEVICES: $(cat err)"
  ends 3 env "${settings[@]}" "$programs/compute" gpu
  says 'no device satisfies the selector' "backend '$vendor' is not usable here: " "$@"
}

test_all_is_well_with_a_driver() {
  ends 0 "$programs/compute" gpu
  says 'gpu 128'
}

test_a_missing_driver_is_named() {
  unusable "$variable=/nowhere/driver.so" -- '/nowhere/driver.so: cannot open shared object file' \
    "$variable must be the path"
}

test_a_library_that_is_no_driver_is_named() {
  unusable "$variable=libm.so.6" -- 'libm.so.6 has no ' ', or one older than '
}

test_an_old_driver_is_told_its_version_and_the_one_that_is_needed() {
  unusable "$variable=$tests/doubles/fakes/libfake_old_$vendor.so" -- "libfake_old_$vendor.so) is too old: it is " \
    ' or later is needed'
}

test_a_driver_without_a_device_is_told() {
  unusable PIANOLA_TEST_DRIVER_DEVICES=0 -- 'no device: ' ' is there and shows no GPU'
}

test_variables_that_hide_all_devices_are_named() {
  local hiding
  for hiding in CUDA_VISIBLE_DEVICES $([ "$vendor" = cuda ] || echo HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES); do
    unusable "$hiding=" -- 'no device: ' "$hiding is empty" 'unset it'
    unusable "$hiding=-1" -- 'no device: ' "$hiding='-1'"
  done
}

test_an_image_for_another_architecture_is_refused_with_both_names() {
  export PIANOLA_TEST_DRIVER_ARCHITECTURE=sm_90
  ends 3 "$programs/compute" gpu
  says "was not compiled for 'sm_90'" 'images of it: pianola-sim' "--pianola-targets=$vendor:sm_90" \
    'compiled for it: no' 'copies work' 'cpu 128'
  # A device that the program has nothing for is not the default one.
  ends 0 "$programs/compute"
  says 'cpu 128'
}

test_a_program_without_any_image_is_told_to_be_compiled_for_the_device() {
  ends 3 "$programs/compute_on_host" gpu
  says "was not compiled for 'pianola-sim'" 'compile with pianolacc --pianola-targets=' 'compiled for it: no' \
    'copies work' 'cpu 128'
}

test_memory_that_runs_out_in_a_recorded_graph_is_reported_and_the_rest_goes_on() {
  export PIANOLA_TEST_DRIVER_MEMORY=40
  ends 0 "$programs/memory"
  says 'large: memory_allocation, the graph needs 100663552 bytes in memory ' 'its budget is 41943040 bytes' \
    $'\nbeside: memory_allocation, ' "$api: " 'the device has no memory left for this' $'\nsmall: 12\n' 'kept: 7'
}

# A driver lets out at waits what kernels have printed, and nothing at the end of the process.
test_what_the_last_kernel_prints_is_seen_though_nobody_waits() {
  local how
  for how in '' recorded; do
    ends 0 "$programs/prints" $how
    [ "$said" = 'printed 7' ] || fail "$how: '$said'"
  done
}

traps() {
  export PIANOLA_DEVICES=openmp,$vendor
  ends 0 "$programs/trap" "$@"
  says 'the device is lost: ' "$api: " '; a kernel trapped or went wrong' \
    '; the device cannot be used any more by this process: start a new one' \
    $'\nused again: ' $'\nread: ' $'\navailable: no\n' $'\ncpu: 4'
  [[ $said == *'used again: '*'is lost'*$'\nread: '* ]] || fail "later use does not say that the device is lost: $said"
}

test_a_kernel_that_traps_loses_its_device_and_nothing_else() { traps; }

test_a_recorded_kernel_that_traps_loses_its_device_and_nothing_else() { traps recorded; }

"test_$name"
