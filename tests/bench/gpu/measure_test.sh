#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# measure_test.sh BUILD WORK: what measure.sh bundles runs anywhere, and a step that fails is told.
set -u
build=$1 work=$2
here=$(cd "$(dirname -- "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"

fail() {
  echo "$*" >&2
  exit 1
}

"$here/measure.sh" bundle "$build" "$work/made.tar.gz" || fail "no bundle"
mkdir "$work/moved"
tar -C "$work/moved" -xzf "$work/made.tar.gz" || fail "the archive cannot be unpacked"
cd / || exit 1
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --double "--log=$work/log" >"$work/output" 2>&1 ||
  { cat "$work/output"; fail "it does not run"; }
for step in devices backend_tests hip_on_cuda benchmarks; do
  grep -q "^== $step: ok" "$work/log" || { cat "$work/log"; fail "$step did not run"; }
done
env -i "PATH=$PATH" PIANOLA_TEST_DRIVER_FAIL=cuGraphLaunch:1=719 "$work/moved/made/measure.sh" run --double \
  >"$work/output" 2>&1 && fail "a fault is not told"
grep -q '^measure.sh: failed: .*backend_tests' "$work/output" || { cat "$work/output"; fail "the step is not named"; }
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --double --only=benchmarks >"$work/output" 2>&1 ||
  { cat "$work/output"; fail "one step does not run"; }
[ "$(grep -c '^== .*: ok' "$work/output")" -eq 2 ] || { cat "$work/output"; fail "other steps run than those asked for"; }
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --double --limit=0 >"$work/output" 2>&1 && fail "no time is enough"
grep -q '^== devices: NOT RUN' "$work/output" || { cat "$work/output"; fail "a step runs though the time is over"; }
env -i "PATH=$PATH" "$work/moved/made/measure.sh" run --fast >"$work/output" 2>&1 && fail "nonsense is taken"
exit 0
