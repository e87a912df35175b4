// SPDX-License-Identifier: Apache-2.0
// A reduction of SYCL's over a range, and an inclusive scan made of group algorithms.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

struct sum_of_all {
  explicit sum_of_all(std::size_t count) : n(count), x(queue, n), total(queue, 1) {
    x.fill([](std::size_t i) { return sum_value(i); });
  }
  void step() {
    queue.parallel_for(sycl::range<1>(n),
                       sycl::reduction(total.get(), sycl::plus<float>(),
                                       sycl::property::reduction::initialize_to_identity()),
                       [in = std::as_const(x).get()](sycl::id<1> i, auto& sum) { sum += in[i]; });
  }
  void wait() { queue.wait(); }
  double checksum() { return rounded_sum(total.checksum(), n); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<float> x, total;
};

// Blocks are added up, the sums of the blocks are scanned, and each block starts with what is before it.
struct scan {
  static constexpr std::size_t items = 8;
  explicit scan(std::size_t count)
      : n(count), x(queue, n), result(queue, n), sums(queue, n / scan_block) {
    x.fill([](std::size_t i) { return sum_value(i); });
    result.fill([](std::size_t) { return 0.0F; });
  }
  void step() {
    const sycl::nd_range<1> blocks(n / scan_block * items, items);
    const float* in = x.get();
    float* out = result.get();
    float* before = sums.get();
    queue.parallel_for(blocks, [=](sycl::nd_item<1> item) {
      const auto g = item.get_group();
      const float* first = in + g[0] * scan_block;
      const float sum = sycl::joint_reduce(g, first, first + scan_block, sycl::plus<float>());
      if (g.leader()) before[g[0]] = sum;
    });
    queue.parallel_for(sycl::nd_range<1>(items, items),
                       [=, count = n / scan_block](sycl::nd_item<1> item) {
                         sycl::joint_exclusive_scan(item.get_group(), before, before + count,
                                                    before, sycl::plus<float>());
                       });
    queue.parallel_for(blocks, [=](sycl::nd_item<1> item) {
      const auto g = item.get_group();
      const float* first = in + g[0] * scan_block;
      sycl::joint_inclusive_scan(g, first, first + scan_block, out + g[0] * scan_block,
                                 sycl::plus<float>(), before[g[0]]);
    });
  }
  void wait() { queue.wait(); }
  double checksum() { return rounded_sum(result.checksum(), n); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<float> x, result, sums;
};

}  // namespace

subject sum(std::size_t n) { return repeated(std::make_shared<sum_of_all>(n)); }
subject inclusive_scan(std::size_t n) { return repeated(std::make_shared<scan>(n)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
