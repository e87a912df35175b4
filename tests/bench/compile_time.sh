#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compile_time.sh [BUILD [ROUNDS]]: how long pianolacc takes for a program with one kernel, compared to the same clang
# in library-only mode at -O2, for the host alone and with three GPU targets. The commands alternate; what is printed
# are the medians and the median of the ratios within a round. Targets: 1.5 for the host, 1 more for the GPU targets.
# First, at -O0, what `#include <sycl/sycl.hpp>` alone costs, and a program of sixty lines, with it and with the split headers
# of what it uses, with clang and with g++ as C++20: the least user time of all rounds; targets for clang: 0.95 s and 1.85 s.
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
cat >"$work/sixty.cpp" <<'PROGRAM'
#include <sycl/sycl.hpp>

#include <iostream>
#include <vector>

int main() {
  constexpr std::size_t n = 1024;
  std::vector<float> a(n, 1.0f), b(n, 2.0f), c(n, 0.0f);
  sycl::queue q{sycl::default_selector_v, sycl::property::queue::in_order()};
  std::cout << q.get_device().get_info<sycl::info::device::name>() << "\n";
  {
    sycl::buffer<float, 1> ba(a.data(), sycl::range<1>(n));
    sycl::buffer<float, 1> bb(b.data(), sycl::range<1>(n));
    sycl::buffer<float, 1> bc(c.data(), sycl::range<1>(n));
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(ba, h, sycl::read_only);
      sycl::accessor y(bb, h, sycl::read_only);
      sycl::accessor z(bc, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { z[i] = x[i] + y[i]; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor z(bc, h, sycl::read_write);
      sycl::local_accessor<float, 1> local(sycl::range<1>(64), h);
      h.parallel_for(sycl::nd_range<1>(n, 64), [=](sycl::nd_item<1> item) {
        local[item.get_local_id(0)] = z[item.get_global_id(0)];
        sycl::group_barrier(item.get_group());
        z[item.get_global_id(0)] = local[63 - item.get_local_id(0)] * 2;
      });
    });
    sycl::host_accessor result(bc, sycl::read_only);
    std::cout << result[0] << "\n";
  }
  float* sum = sycl::malloc_shared<float>(1, q);
  float* data = sycl::malloc_device<float>(n, q);
  *sum = 0;
  q.memcpy(data, c.data(), n * sizeof(float));
  q.submit([&](sycl::handler& h) {
    h.parallel_for(sycl::range<1>(n), sycl::reduction(sum, sycl::plus<float>()),
                   [=](sycl::id<1> i, auto& s) { s += data[i]; });
  });
  try {
    q.wait_and_throw();
  } catch (const sycl::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
  for (int i = 0; i < 4; ++i) {
    sycl::event done = q.single_task([=] { sum[0] += 1; });
    done.wait();
  }
  std::cout << *sum << "\n";
  const bool right = *sum == 6.0f * n + 4;
  sycl::free(sum, q);
  sycl::free(data, q);
  if (!right) {
    std::cerr << "wrong\n";
    return 1;
  }
  std::cout << "OK\n";
  return 0;
}
PROGRAM
for header in accessor buffer exception groups handler index_space queue reduction usm; do
  echo "#include <sycl/khr/split_headers/$header.hpp>"
done >"$work/split.cpp"
grep -v '<sycl/sycl.hpp>' "$work/sixty.cpp" >>"$work/split.cpp"
# least_user_ms COMMAND...: without what other programs take of the processor in between, but not without what they cost it.
least_user_ms() {
  local TIMEFORMAT=%U least=999999999 i t
  for ((i = 0; i < rounds; i++)); do
    t=$( { time "$@"; } 2>&1)
    t=$((10#${t/[.,]/}))
    ((t >= least)) || least=$t
  done
  echo "$least"
}
for compiler in "$clang" g++; do
  for file in include sixty split; do
    printf '%-12s %-10s -O0  %6d ms\n' "$file" "$compiler" \
      "$(least_user_ms "$compiler" "${includes[@]}" -std=c++20 -O0 -c "$work/$file.cpp" -o "$work/$file.o")"
  done
done

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
