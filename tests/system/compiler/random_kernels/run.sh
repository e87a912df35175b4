#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh GENERATOR SEEDS DEVICE_FLAG... -- COMPARE...: each line of the file SEEDS holds the generator's options, and may
# hold --level=N, pianolacc's optimisation level. "random" stands for a new seed, printed, or PIANOLA_TEST_SEED. COMPARE
# is both_modes.sh with its arguments up to the first --, the second being pianolacc, the fourth the folder to work in.
# DEVICE_FLAGs link the driver for device images of the target "simulated", whose results must be the same.
set -u
generator=$1 seeds=$2
shift 2
device_flags=()
while [ "$1" != -- ]; do device_flags+=("$1"); shift; done
shift
pianolacc=$2 work=$4
# A third of the time to compile such code, and none of ours.
quicker=(-mllvm -disable-lsr)
. "$(dirname "$0")/../../../support/precompiled.sh"
mkdir -p "$work" || exit 1
failed=0
number=0
while read -r -a line; do
  [ ${#line[@]} -gt 0 ] && [[ ${line[0]} != \#* ]] || continue
  level=2 options=()
  for word in "${line[@]}"; do
    case $word in
      --level=*) level=${word#--level=} ;;
      random)
        seed=${PIANOLA_TEST_SEED:-$(($(od -An -N4 -tu4 /dev/urandom)))}
        options+=("--seed=$seed")
        ;;
      *) options+=("$word") ;;
    esac
  done
  number=$((number + 1))
  echo "random_kernels ${options[*]} at -O$level"
  source=$work/program$number.cpp
  "$generator" "${options[@]}" >"$source" || exit 1
  if ! PIANOLACC_FLAGS="-O$level ${quicker[*]}" bash "$@" -- -std=c++20 -O1 -w -- "$source"; then
    echo "FAILED: the program is $source"
    failed=1
    continue
  fi
  flags=(--pianola-targets=simulated -DPIANOLA_TEST_ON_DEVICE "-O$level" -std=c++20 -w -pthread)
  mapfile -t header < <(precompiled "$pianolacc" "${flags[@]}")
  if ! "$pianolacc" "${flags[@]}" "${header[@]}" "${quicker[@]}" "$source" "${device_flags[@]}" -o "$work/device" || ! timeout 600 "$work/device" >"$work/device.txt" 2>&1 ||
      ! diff "$work/library.txt" "$work/device.txt"; then
    echo "FAILED: the device's code (>) of $source"
    failed=1
  fi
done <"$seeds"
exit $failed
