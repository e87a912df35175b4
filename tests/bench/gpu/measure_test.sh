#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# measure_test.sh BUILD WORK: what measure.sh bundles runs anywhere, and a step that fails is told. Of the suite and of
# the benchmarks a few: all of them are tests of their own.
set -u
build=$1 work=$2
here=$(cd "$(dirname -- "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"

few=(--tests=graphs.are_one_step_of_their_lane --benchmarks=submit/)

fail() {
  echo "$*" >&2
  exit 1
}

# A second build, as far as a bundle of it goes: two programs, which fail, for they are no such programs, and a folder.
second=$work/second
mkdir -p "$second/tests/unit_sycl_devices" "$second/bin"
cp "$build/bin/pianola" "$second/tests/extension_tests" && cp "$build/bin/pianola" "$second/bin/heat" || exit 1
"$here/measure.sh" bundle "$build,$second" "$work/made.tar.gz" || fail "no bundle"
mkdir "$work/moved"
tar -C "$work/moved" -xzf "$work/made.tar.gz" || fail "the archive cannot be unpacked"
readelf -d "$work/moved/made/drivers/pianola-test-gpu" | grep -q 'ORIGIN/../lib' ||
  fail "the process of the test double would not find its libraries in the bundle"
cd / || exit 1
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --double "${few[@]}" "--log=$work/log" >"$work/output" 2>&1 &&
  fail "programs of the second build that fail are not told"
[ "$(grep '^measure.sh: failed' "$work/log")" = 'measure.sh: failed: extension_tests heat' ] ||
  { cat "$work/output"; fail "it does not run"; }
for step in devices backend_tests hip_on_cuda benchmarks; do
  grep -q "^== $step: ok" "$work/log" || { cat "$work/log"; fail "$step did not run"; }
done
env -i "PATH=$PATH" PIANOLA_TEST_DRIVER_FAIL=cuGraphLaunch:1=719 "$work/moved/made/measure.sh" run --double "${few[@]}" \
  >"$work/output" 2>&1 && fail "a fault is not told"
grep -q '^measure.sh: failed: .*backend_tests' "$work/output" || { cat "$work/output"; fail "the step is not named"; }
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --double "${few[@]}" --only=benchmarks >"$work/output" 2>&1 ||
  { cat "$work/output"; fail "one step does not run"; }
[ "$(grep -c '^== .*: ok' "$work/output")" -eq 2 ] || { cat "$work/output"; fail "other steps run than those asked for"; }
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --double --limit=0 >"$work/output" 2>&1 && fail "no time is enough"
grep -q '^== devices: NOT RUN' "$work/output" || { cat "$work/output"; fail "a step runs though the time is over"; }
grep -q '^measure.sh: not run, .*--only=devices ' "$work/output" || { cat "$work/output"; fail "what is left is not told"; }
env -i "PATH=$PATH" PIANOLA_TEST_DRIVER_SEED=1 "$work/moved/made/measure.sh" run --double --only=backend_tests,benchmarks \
  --step-limit=1 >"$work/output" 2>&1 && fail "a step may take for ever"
grep -q '^== benchmarks: FAILED: it was ended after 1 seconds' "$work/output" ||
  { cat "$work/output"; fail "a step that takes too long is not told"; }
grep -q '^submit/in_order ' "$work/output" || { cat "$work/output"; fail "what was measured before is lost"; }
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --fast >"$work/output" 2>&1 && fail "nonsense is taken"
exit 0
