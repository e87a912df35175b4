#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compile_time.sh [BUILD [ROUNDS]]: how long pianolacc takes for a program with one kernel, compared to the same clang
# in library-only mode at -O2, for the host alone and with three GPU targets. The commands alternate; what is printed
# are the medians and the median of the ratios within a round. Targets: 1.5 for the host, 1 more for the GPU targets.
# First, what `#include <sycl/sycl.hpp>` alone costs at -O0; target: 2 s.
set -eu
root=$(cd "$(dirname -- "$0")/../.." && pwd)
build=${1:-$root/build/release}
rounds=${2:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/program.cpp" <<'PROGRAM'
#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  float* const x = sycl::malloc_shared<float>(4096, q);
  q.submit([&](sycl::handler& h) {
    const sycl::local_accessor<float, 1> local(sycl::range<1>(64), h);
    h.parallel_for(sycl::nd_range<1>(4096, 64), [=](sycl::nd_item<1> item) {
      local[item.get_local_id(0)] = x[item.get_global_id(0)];
      sycl::group_barrier(item.get_group());
      x[item.get_global_id(0)] = 2 * local[63 - item.get_local_id(0)];
    });
  });
  q.wait();
  sycl::free(x, q);
}
PROGRAM
includes=()
for folder in sycl executors/runtime recorder/model compiler/abi; do includes+=("-I$root/$folder/include"); done
flags=(-std=c++20 -O2 -c "$work/program.cpp" -o "$work/program.o")
clang=${CLANG:-clang++-19}
gpus=${PIANOLA_TARGETS:-host;cuda:sm_90;hip:gfx90a;hip:gfx1030}

library() { "$clang" "${includes[@]}" "${flags[@]}"; }
host() { "$build/bin/pianolacc" "${flags[@]}"; }
devices() { "$build/bin/pianolacc" "--pianola-targets=$gpus" "${flags[@]}"; }

measure() {
  local begin=$EPOCHREALTIME
  "$1"
  local end=$EPOCHREALTIME
  echo $((${end/[.,]/} - ${begin/[.,]/}))
}
echo '#include <sycl/sycl.hpp>' >"$work/include.cpp"
include() { "$clang" "${includes[@]}" -std=c++20 -O0 -c "$work/include.cpp" -o "$work/include.o"; }
include
for ((i = 0; i < rounds; i++)); do measure include; done | sort -n | awk '
  { all[NR] = $1 }
  END { printf "the header alone, -O0     %7.0f ms   (target: at most 2000 ms)\n", all[int((NR + 1) / 2)] / 1000 }'

library; host; devices  # files read once
for ((i = 0; i < rounds; i++)); do
  echo "$(measure library) $(measure host) $(measure devices)"
done | awk '
  { library[NR] = $1; host[NR] = $2; devices[NR] = $3; a[NR] = $2 / $1; b[NR] = ($3 - $2) / $1 }
  function median(v,   n, i, j, t) {
    n = NR
    for (i = 2; i <= n; i++) { t = v[i]; for (j = i - 1; j > 0 && v[j] > t; j--) v[j + 1] = v[j]; v[j + 1] = t }
    return v[int((n + 1) / 2)]
  }
  END {
    printf "library-only, -O2        %7.0f ms\n", median(library) / 1000
    printf "pianolacc, host          %7.0f ms   %.2fx  (target: at most 1.5x)\n", median(host) / 1000, median(a)
    printf "pianolacc, three GPUs    %7.0f ms  +%.2fx  (target: at most +1x)\n", median(devices) / 1000, median(b)
  }'
