#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every reader of input that nobody trusts, each for a number of seconds:
#   tests/fuzz/run.sh [SECONDS [TARGET...]]      60 seconds and all targets, if nothing else is said
# Builds into build/fuzz. What was interesting is kept in build/fuzz/corpus and where the next run starts; what crashed is
# in build/fuzz/findings, and run again by
#   build/fuzz/tests/fuzz_readers --target=TARGET build/fuzz/findings/FILE
# The exit status is 1 if anything was found.
set -eu
cd "$(dirname -- "$0")/../.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -ne 0 ] || set -- graph plan topology journal folder executable slots

cmake -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" \
  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DPIANOLA_FUZZERS=ON -DPIANOLA_PRECOMPILE=ON \
  -DPIANOLA_SANITIZE=fuzzer-no-link,address,undefined -DPIANOLA_COMPILER=OFF -DPIANOLA_TOOL=OFF -DPIANOLA_VIEW=OFF \
  -DPIANOLA_PYTHON_MODULE=OFF -DPIANOLA_BUILD_SAMPLES=OFF >build/fuzz-configure.log 2>&1 ||
  { cat build/fuzz-configure.log; exit 2; }
cmake --build build/fuzz --target fuzz_readers

found=0
mkdir -p build/fuzz/findings
for target in "$@"; do
  corpus=build/fuzz/corpus/$target
  log=build/fuzz/findings/$target.log
  mkdir -p "$corpus"
  if PIANOLA_DEVICES=simulated:1 build/fuzz/tests/fuzz_readers "--target=$target" "--seeds=$corpus" \
    "-max_total_time=$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 -use_value_profile=1 -print_final_stats=1 \
    "-artifact_prefix=build/fuzz/findings/$target-" "$corpus" >"$log" 2>&1; then
    printf '%-12s %s\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: */runs /p' "$log"), $(
      sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1) branches, nothing found"
  else
    found=1
    printf '%-12s %s\n' "$target" "FOUND, see $log:"
    grep -E 'ERROR|SUMMARY|runtime error|what\(\)|Test unit written' "$log" | head -n 5
  fi
done
exit $found
