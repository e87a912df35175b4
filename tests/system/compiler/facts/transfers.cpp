// SPDX-License-Identifier: Apache-2.0
// Two devices read one buffer in turns through accessors of the default mode: prints the number of transfers, once
// for a kernel that only reads and once for one that may write.
#include <cstdio>

#include <pianola/runtime/statistics.hpp>

#include <sycl/sycl.hpp>

namespace {

template <bool Writes>
std::uint64_t transfers(sycl::queue& a, sycl::queue& b) {
  sycl::buffer<int> data{sycl::range<1>(64)}, out{sycl::range<1>(64)};
  {
    sycl::host_accessor start{data};
    for (std::size_t i = 0; i < 64; ++i) start[i] = 1;
  }
  pianola::runtime::reset_statistics();
  for (int round = 0; round < 4; ++round)
    for (sycl::queue* q : {&a, &b})
      q->submit([&](sycl::handler& h) {
        sycl::accessor x{data, h};
        sycl::accessor y{out, h, sycl::write_only, sycl::no_init};
        h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
          y[i] = x[i];
          if constexpr (Writes) {
            if (x[i] > 5) x[i] = 0;
          }
        });
      });
  a.wait();
  b.wait();
  return pianola::runtime::get_statistics().transfers;
}

}  // namespace

int main() {
  const auto devices = sycl::device::get_devices();
  sycl::queue a{devices[0]}, b{devices[1]};
  const auto reading = transfers<false>(a, b), writing = transfers<true>(a, b);
  std::printf("reading %d, writing %d\n", static_cast<int>(reading), static_cast<int>(writing));
}
