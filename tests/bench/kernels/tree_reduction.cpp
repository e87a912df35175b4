// SPDX-License-Identifier: Apache-2.0
// Each work-group adds its items' values up in a tree in local memory, with a barrier per level.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

struct tree {
  explicit tree(std::size_t count) : n(count), x(queue, n), sums(queue, n / tree_width) {
    x.fill([](std::size_t i) { return tree_value(i); });
    sums.fill([](std::size_t) { return 0.0F; });
  }
  void step() {
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<float, 1> local(sycl::range<1>(tree_width), h);
      h.parallel_for(sycl::nd_range<1>(n, tree_width),
                     [=, in = std::as_const(x).get(), out = sums.get()](sycl::nd_item<1> item) {
                       const std::size_t id = item.get_local_id(0);
                       local[id] = in[item.get_global_id(0)];
                       sycl::group_barrier(item.get_group());
                       for (std::size_t half = tree_width / 2; half > 0; half >>= 1) {
                         if (id < half) local[id] += local[id + half];
                         sycl::group_barrier(item.get_group());
                       }
                       if (id == 0) out[item.get_group(0)] = local[0];
                     });
    });
  }
  void wait() { queue.wait(); }
  double checksum() { return sums.checksum(); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<float> x, sums;
};

}  // namespace

subject tree_reduction(std::size_t n) { return repeated(std::make_shared<tree>(n)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
