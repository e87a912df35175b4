#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds everything with warnings as errors, and runs every test; then what depends on the
# compiler again by g++ and by pianolacc, and the tests of the library under AddressSanitizer +
# UndefinedBehaviorSanitizer and under ThreadSanitizer. The last line of output is `N passed, N failed`, and the exit
# status is 0 only where nothing failed.
#
#   ./check.sh                  everything
#   ./check.sh --fast           only ci
#   ./check.sh PRESET...        only these of: ci gcc compiled asan tsan
#   ./check.sh --within MINUTES leaves out what would end later; the last lines tell what that is
set -uo pipefail
begin=$(date +%s)
cd "$(dirname -- "$0")" || exit 2

presets=()
within=
while [ $# -gt 0 ]; do
  argument=$1
  shift
  case $argument in
    --fast) presets+=(ci) ;;
    --within)
      [[ ${1:-} =~ ^[1-9][0-9]{0,3}$ ]] || { echo "check.sh: --within needs a number of minutes" >&2; exit 2; }
      within=$1
      shift
      ;;
    ci | gcc | compiled | asan | tsan) presets+=("$argument") ;;
    -h | --help) sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "check.sh: unknown argument '$argument'; see ./check.sh --help" >&2; exit 2 ;;
  esac
done
[ ${#presets[@]} -gt 0 ] || presets=(ci gcc compiled asan tsan)

passed=0
failed=0
skipped=0
left_out=()
complaints=()
ctest_logs=()
jobs=$(nproc)
logs=build/logs
mkdir -p "$logs"

finish() {
  show_slowest
  [ "$failed" -eq 0 ] || show_failures
  [ "$skipped" -eq 0 ] || echo "$skipped skipped"
  [ ${#left_out[@]} -eq 0 ] || echo "left out, since it would not have ended within $within minutes: ${left_out[*]}"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

# show_failures: what failed once more, at the end, where it is seen: each test with the first lines it printed.
show_failures() {
  local log
  for log in "${ctest_logs[@]}"; do
    awk -v name="$(basename "$log" -ctest.log)" '
      / Test +#[0-9]+: / {
        shown = 0
        if ($0 ~ /\*\*\*(Failed|Timeout|Exception|Not Run)|Subprocess aborted|SEGFAULT/ && ++tests <= 20) {
          sub(/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: /, "")
          gsub(/\.\.\.+/, " ")
          print "FAILED (" name "): " $0
          shown = 12
        }
        next
      }
      /^ +Start +[0-9]+: / { next }
      shown > 0 && NF > 0 { print "    " substr($0, 1, 240); --shown }
    ' "$log"
  done
  for log in "${complaints[@]}"; do
    echo "FAILED: $log"
  done
}

# show_slowest: the ten slowest compilations and tests, so that what makes the checks slow is seen when it comes.
show_slowest() {
  local preset
  echo "slowest compilations, in seconds:"
  for preset in "${presets[@]}"; do
    [ -f "build/$preset/.ninja_log" ] && awk -v preset="$preset" -F'\t' '
      NF == 5 && $4 ~ /^[^\/].*\.(o|gch|pch)$/ { took[$4] = $2 - $1 }
      END { for (file in took) printf "%9.1f  %s: %s\n", took[file] / 1000, preset, file }
    ' "build/$preset/.ninja_log"
  done | sort -rn | head -n 10
  [ ${#ctest_logs[@]} -gt 0 ] || return
  echo "slowest tests, in seconds:"
  for log in "${ctest_logs[@]}"; do
    sed -nE "s/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: (.+[^.]) \.\.+ .* ([0-9.]+) sec\$/\2 $(basename "$log" -ctest.log): \1/p" "$log"
  done | sort -rn | head -n 10 | awk '{ took = $1; $1 = ""; printf "%9.1f %s\n", took, $0 }'
}

# fail TEXT: something outside of the tests went wrong; it counts as one failed test.
fail() {
  echo "check.sh: FAILED: $1" >&2
  complaints+=("$1")
  failed=$((failed + 1))
}

# count LOG STATUS: adds up a ctest run from its summary line.
count() {
  local log=$1 status=$2 summary total bad not_run
  ctest_logs+=("$log")
  summary=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" | tail -n 1)
  if [ -z "$summary" ]; then
    fail "ctest printed no summary (exit status $status), see $log"
    return
  fi
  bad=$(sed -E 's/^.* ([0-9]+) tests failed out of [0-9]+.*$/\1/' <<<"$summary")
  total=$(sed -E 's/^.* out of ([0-9]+).*$/\1/' <<<"$summary")
  not_run=$(grep -cE '^ *[0-9]+/[0-9]+ +Test .*\*\*\*Skipped' "$log")
  passed=$((passed + total - bad - not_run))
  failed=$((failed + bad))
  skipped=$((skipped + not_run))
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
    fail "ctest ended with status $status, see $log"
  fi
}

# With all presets, each test is built no oftener than it can show something: preset ci leaves to asan what has one thread
# or is a double, which asan runs whole and with more eyes, and to gcc and compiled what they build by a user's compilers.
run_by_others= samples=ON
if [[ " ${presets[*]} " == *" gcc "* && " ${presets[*]} " == *" compiled "* && " ${presets[*]} " == *" asan "* ]]; then
  run_by_others="property;spec/conformance;spec/extensions;unit/doubles;unit/executable;unit/formats;unit/gpu"
  run_by_others+=";unit/gpu_vendors;unit/openmp;unit/planner;unit/planning;unit/recorder;unit/sycl"
  samples=OFF
fi

tools/install-packages.sh || { fail "packages could not be installed"; finish; }

# Minutes that a preset takes on two slow cores with an empty ccache. Machines differ by more than twice: what the presets
# before it took tells how long it takes on this one.
declare -A expected=([ci]=24 [gcc]=10 [compiled]=12 [asan]=15 [tsan]=9)
taken=0 foreseen=0
for preset in "${presets[@]}"; do
  percent=100
  [ "$foreseen" -eq 0 ] || percent=$((taken * 100 / (foreseen * 60)))
  if [ -n "$within" ] &&
    [ $((($(date +%s) - begin) / 60 + expected[$preset] * percent / 100)) -gt "$within" ]; then
    left_out+=("$preset")
    continue
  fi
  SECONDS=0
  echo
  echo "== $preset: configure and build"
  # The compiler of preset compiled is the one that preset ci builds.
  if [ "$preset" = compiled ] && [[ " ${presets[*]} " != *" ci "* ]] &&
    ! { cmake --preset ci >"$logs/ci-configure.log" 2>&1 &&
      cmake --build build/ci --parallel "$jobs" --target pianolacc pianola_runtime pianola_test_drivers; }; then
    fail "compiled: the compiler, see $logs/ci-configure.log"
    continue
  fi
  settings=()
  [ "$preset" = ci ] && settings=("-DPIANOLA_LEFT_OUT_TESTS=$run_by_others" "-DPIANOLA_BUILD_SAMPLES=$samples")
  [ "$preset" = ci ] || [ "$preset" = compiled ] && settings+=(-DPIANOLA_WHOLE_PROGRAMS=ON)
  if ! cmake --preset "$preset" "${settings[@]}" >"$logs/$preset-configure.log" 2>&1; then
    cat "$logs/$preset-configure.log"
    fail "$preset: configure"
    continue
  fi
  # Goes on after an error, so that one broken file does not hide the results of the other tests; a test
  # whose program is missing counts as failed.
  if ! cmake --build "build/$preset" --parallel "$jobs" -- -k 0; then
    fail "$preset: build"
  fi
  echo "== $preset: tests (built in ${SECONDS}s)"
  ctest --preset "$preset" --parallel "$jobs" 2>&1 | tee "$logs/$preset-ctest.log"
  count "$logs/$preset-ctest.log" "${PIPESTATUS[0]}"
  echo "== $preset: ${SECONDS}s"
  taken=$((taken + SECONDS)) foreseen=$((foreseen + expected[$preset]))
done

# The other command of the README; one more test.
if [[ " ${presets[*]} " == *" gcc "* ]]; then
  echo
  echo "== demo.sh"
  # With the flags of preset gcc, so that ccache has all of it.
  cmake --preset release -DPIANOLA_WERROR=ON -DPIANOLA_JOINED_SOURCES=32 >/dev/null
  if ./demo.sh --steps 500 >"$logs/demo.log" 2>&1 && grep -q '^OK' "$logs/demo.log" &&
    [ -s demo-output/graph.svg ] && [ -s demo-output/plan.json ]; then
    passed=$((passed + 1))
  else
    tail -n 30 "$logs/demo.log"
    fail "demo.sh, see $logs/demo.log"
  fi
fi

[ $((passed + failed)) -ne 0 ] || fail "no test was run"
echo
finish
