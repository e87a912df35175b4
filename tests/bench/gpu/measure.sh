#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Everything that wants a real NVIDIA GPU, in one go and one log: devices, the conformance suite of backends, the SYCL
# tests, samples, compute-sanitizer, the backend `hip` on the CUDA driver, benchmarks. Needs a driver, and takes
# compute-sanitizer and nvcc along where they are.
#
#   tests/bench/gpu/measure.sh bundle BUILD[,BUILD] FOLDER   makes FOLDER (or FOLDER.tar.gz) of a build, to be taken
#                                                            there. The second build is one of preset `compiled`, made
#                                                            with -DPIANOLA_TARGETS='simulated;cuda:sm_90'
#                                                            -DPIANOLA_WERROR=OFF: its SYCL tests and samples are added.
#   FOLDER/measure.sh [run] [--small] [--log=FILE]           runs it; --small: as on a test double, see below
#     --only=STEP,...     these steps and the list of devices alone; the log of a run names them ("== STEP: ok"), and its
#                         end those that failed or did not run
#     --tests=PATTERN     of the suite of backends, these tests alone: suite.name as GoogleTest has it, `lanes.*`
#     --benchmarks=TEXT   of the benchmarks, those alone whose names contain this
#     --limit=SECONDS     of all steps together: one that is at work then is ended, those behind it are not begun
#     --step-limit=SECONDS  of each step; without it 150, and for the benchmarks 360
#
# Without a GPU it runs on the test double of the driver that the bundle holds: FOLDER/measure.sh run --double
# Exit status: 0 if nothing failed; figures that miss their targets are no failures.
set -u -o pipefail
here=$(cd "$(dirname -- "$0")" && pwd)

# Of the second build: GoogleTest programs, and samples.
suites=(unit_sycl_devices extension_tests device_property_tests conformance_3_7_execution_model
  conformance_3_8_memory_model conformance_4_5_1_backend_interoperability conformance_4_7_3_images
  conformance_4_8_unified_shared_memory conformance_4_9_2_reductions conformance_4_14_2_vec
  conformance_4_15_1_barriers_and_fences conformance_4_15_3_atomic_ref conformance_4_16_stream
  conformance_4_17_2_group_functions conformance_4_17_3_group_algorithms conformance_4_17_4_math
  conformance_4_17_6_half_and_native conformance_4_17_7_integer)
samples=(heat tiled_image cholesky conjugate_gradient)

die() {
  echo "measure.sh: $*" >&2
  exit 2
}

bundle() {
  [ $# -eq 2 ] || die "bundle takes BUILD[,BUILD] and a folder"
  local builds=$1 output=$2 main compiled root program
  main=${builds%%,*}
  compiled=""
  case $builds in *,*) compiled=${builds#*,} ;; esac
  root=$(sed -n 's/^Pianola_SOURCE_DIR:STATIC=//p' "$main/CMakeCache.txt")
  [ -n "$root" ] || root=$(cd "$here/../../.." && pwd)
  local programs=("$main/bin/pianola" "$main/tests/pianola_gpu_bench" "$main/tests/backend_tests")
  local additions=(--add "$root/tests/bench/gpu/measure.sh:measure.sh"
    --add "$root/tests/bench/gpu/rivals.cu:share/rivals.cu" --add "$main/tests/drivers/libcuda.so.1:drivers/libcuda.so.1"
    --add "$main/tests/drivers/pianola-test-gpu:drivers/pianola-test-gpu"
    --add "$main/tests/images/suite_kernels.pianola-sim:share/suite_kernels.pianola-sim")
  [ ! -e "$main/tests/images/suite_kernels.ptx" ] ||
    additions+=(--add "$main/tests/images/suite_kernels.ptx:share/suite_kernels.ptx")
  [ ! -e "$main/tests/hip_on_cuda/libamdhip64.so.5" ] ||
    additions+=(--add "$main/tests/hip_on_cuda/libamdhip64.so.5:drivers/hip_on_cuda.so")
  for program in "${programs[@]}"; do
    [ -x "$program" ] || die "there is no $program: build its target first"
  done
  [ -e "$main/tests/images/suite_kernels.ptx" ] ||
    echo "measure.sh: $main has no kernels as PTX (the target pianola_suite_kernels_ptx): there will be no tests on a GPU" >&2
  local folder=${output%.tar.gz}
  [ ! -e "$output" ] && [ ! -e "$folder" ] || die "$output is there already"
  "$root/tools/bundle" "${programs[@]}" --plugins cuda,hip,simulated "${additions[@]}" -o "$folder" || exit
  if [ -n "$compiled" ]; then
    # With a library of its own.
    programs=()
    for program in "${suites[@]/#/tests/}" "${samples[@]/#/bin/}"; do
      [ ! -f "$compiled/$program" ] || programs+=("$compiled/$program")
    done
    [ ${#programs[@]} -gt 0 ] || die "$compiled has no SYCL tests and no samples"
    "$root/tools/bundle" "${programs[@]}" --plugins cuda --add "$root/samples/data:share/data" -o "$folder/sycl" || exit
  fi
  if [ "$folder" != "$output" ]; then
    tar -C "$(dirname -- "$folder")" -czf "$output" "$(basename -- "$folder")" && rm -rf "$folder"
  fi
}

small="" double="" log="" only="" limit="" step_limit="" tests="*.*" benchmarks=""
failed=() missed=()

# step NAME COMMAND...: its output goes into the log; its status into the summary.
step() {
  local name=$1 status may_take=${step_limit:-150} began=$SECONDS
  shift
  [ -z "$only" ] || case ",devices,$only," in *,"$name",*) ;; *) return ;; esac
  [ "$name" != benchmarks ] || may_take=${step_limit:-360}
  if [ -n "$limit" ]; then
    if [ $SECONDS -ge "$limit" ]; then
      echo "== $name: NOT RUN, the time is over"
      missed+=("$name")
      return
    fi
    [ $((limit - SECONDS)) -ge "$may_take" ] || may_take=$((limit - SECONDS))
  fi
  echo "== $name: $*"
  timeout -k 5 "$may_take" "$@" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    echo "== $name: ok ($((SECONDS - began)) s)"
  elif [ $status -eq 124 ] || [ $status -eq 137 ]; then
    echo "== $name: FAILED: it was ended after $may_take seconds; what it said until then is above"
    failed+=("$name")
  else
    echo "== $name: FAILED with status $status"
    failed+=("$name")
  fi
}

# sycl NAME ARGUMENT...: a program of the second build, where there is one.
sycl() {
  local name=$1
  shift
  [ ! -x "$here/sycl/bin/$name" ] || step "$name" env PIANOLA_DEVICES=cuda "$here/sycl/bin/$name" "$@"
}

measure() {
  local suite_filter="on/$tests/cuda" small_set=()
  export PIANOLA_TEST_SUITE_IMAGE="$here/share/suite_kernels.pianola-sim"
  if [ -n "$double" ]; then
    export PIANOLA_CUDA_DRIVER="$here/drivers/libcuda.so.1" PIANOLA_TEST_DRIVER_STRICT=1
    small=1
  else
    unset PIANOLA_CUDA_DRIVER
    # Where containers put the driver, and the loader may not look. (grep -q would leave before ldconfig has said all, which
    # is a failure here.)
    local driver
    if ! ldconfig -p 2>/dev/null | grep 'libcuda\.so\.1' >/dev/null; then
      for driver in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib/wsl/lib; do
        [ ! -e $driver/libcuda.so.1 ] || { export PIANOLA_CUDA_DRIVER=$driver/libcuda.so.1; break; }
      done
    fi
    export PIANOLA_TEST_SUITE_IMAGE="$here/share/suite_kernels.ptx"
  fi
  # The tests must not look for a double of their own, whose path is of the machine that they were built on.
  export PIANOLA_TEST_REAL_DRIVERS=1
  [ -z "$small" ] || small_set=(--small)

  echo "measure.sh on $(uname -srm), $(nproc) processors, $(date -u '+%Y-%m-%d %H:%M') UTC"
  command -v nvidia-smi >/dev/null && nvidia-smi
  step devices env PIANOLA_DEVICES=cuda "$here/bin/pianola" devices
  [ ${#failed[@]} -eq 0 ] && [ ${#missed[@]} -eq 0 ] || return
  step backend_tests "$here/bin/backend_tests" --gtest_brief=1 "--gtest_filter=$suite_filter"
  # The figures early: whatever ends a run in between, they are there.
  local rivals=() compiler
  # What was built in is for one architecture; nvcc, where it is, compiles for the device that is here.
  compiler=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
  if [ -z "$double" ] && [ -n "$compiler" ] &&
    "$compiler" -O3 -arch=native -cubin -o "$work/rivals.cubin" "$here/share/rivals.cu"; then
    rivals=("--rivals=$work/rivals.cubin")
  fi
  step benchmarks "$here/bin/pianola_gpu_bench" --report${benchmarks:+=$benchmarks} ${small_set[@]+"${small_set[@]}"} ${rivals[@]+"${rivals[@]}"}

  # What relies on the sub-groups of the CPU, or lets kernels write to variables of the program.
  local program filter
  for program in "${suites[@]}"; do
    filter=-
    [ $program != unit_sycl_devices ] || filter="-recording.ends_with*:kernel_properties.*:kernel_attributes.*"
    sycl $program --gtest_brief=1 "--gtest_filter=$filter"
  done
  local data="$here/sycl/share/data"
  sycl heat --image "$data/keyboard.png" --steps 100 --output "$work/heat"
  sycl tiled_image --image "$data/keyboard.png" --tile 64 --enlarge 1 --output "$work/tiled_image"
  sycl cholesky --size 200 --tile 32 --output "$work/cholesky"
  sycl conjugate_gradient --matrix "$data/laplacian_32x32.mtx" --check-every 7 --output "$work/conjugate_gradient"

  if [ -e "$here/drivers/hip_on_cuda.so" ]; then
    step hip_on_cuda env PIANOLA_HIP_RUNTIME="$here/drivers/hip_on_cuda.so" "$here/bin/backend_tests" --gtest_brief=1 \
      "--gtest_filter=on/$tests/hip"
  fi

  # Slow, so last.
  local sanitizer tool
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
  if [ -z "$sanitizer" ] || [ -n "$double" ]; then
    echo "== compute-sanitizer: not here"
  else
    for tool in memcheck racecheck; do
      step "$tool" "$sanitizer" --tool $tool --error-exitcode 9 "$here/bin/backend_tests" --gtest_brief=1 \
        "--gtest_filter=$suite_filter-on/stress*"
      step "$tool-benchmarks" "$sanitizer" --tool $tool --error-exitcode 9 "$here/bin/pianola_gpu_bench" --small
    done
  fi
}

run() {
  local argument
  for argument in "$@"; do
    case $argument in
      --small) small=1 ;;
      --double) double=1 ;;
      --log=*) log=${argument#--log=} ;;
      --only=*) only=${argument#--only=} ;;
      --tests=*) tests=${argument#--tests=} ;;
      --benchmarks=*) benchmarks=${argument#--benchmarks=} ;;
      --limit=*) limit=${argument#--limit=} ;;
      --step-limit=*) step_limit=${argument#--step-limit=} ;;
      *) die "'$argument' is not understood; --small, --double, --log=FILE, --only=STEP,..., --tests=PATTERN, --benchmarks=TEXT, --limit=SECONDS, --step-limit=SECONDS are" ;;
    esac
  done
  [[ $limit =~ ^[0-9]*$ ]] || die "--limit=$limit: '$limit' is no number of seconds"
  [[ $step_limit =~ ^([1-9][0-9]*)?$ ]] || die "--step-limit=$step_limit: '$step_limit' is no number of seconds"
  [ -x "$here/bin/pianola_gpu_bench" ] || die "run it in the bundle that '$0 bundle' makes"
  work=$(mktemp -d) || die "no place for temporary files"
  trap 'rm -rf "$work"' EXIT
  [ -z "$log" ] || exec > >(tee "$log")
  measure
  echo
  [ ${#failed[@]} -eq 0 ] || echo "measure.sh: failed: ${failed[*]}"
  if [ ${#missed[@]} -gt 0 ]; then
    local left
    left=$(IFS=,; echo "${missed[*]}")
    echo "measure.sh: not run, for want of time: --only=$left runs them"
  fi
  [ ${#failed[@]} -eq 0 ] && [ ${#missed[@]} -eq 0 ] || exit 1
  echo "measure.sh: nothing failed"
}

case ${1:-run} in
  bundle)
    shift
    bundle "$@"
    ;;
  run)
    [ $# -eq 0 ] || shift
    run "$@"
    ;;
  -h | --help) sed -n '3,21s/^# \{0,1\}//p' "$0" ;;
  --*) run "$@" ;;
  *) die "'$1' is not understood: bundle or run" ;;
esac
