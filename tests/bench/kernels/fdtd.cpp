// SPDX-License-Identifier: Apache-2.0
// One-dimensional finite differences in time: electric and magnetic field in local memory, updated in turns
// with a barrier after each.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

struct fields {
  explicit fields(std::size_t lines) : n(lines * fdtd_cells), e(queue, n), h(queue, n) {
    e.fill([](std::size_t i) { return fdtd_value(i); });
    h.fill([](std::size_t) { return 0.0F; });
  }
  void step() {
    constexpr std::size_t cells = fdtd_cells;
    queue.submit([&](sycl::handler& handler) {
      const sycl::local_accessor<float, 1> le(sycl::range<1>(cells), handler);
      const sycl::local_accessor<float, 1> lh(sycl::range<1>(cells), handler);
      handler.parallel_for(sycl::nd_range<1>(n, cells),
                           [=, ge = e.get(), gh = h.get()](sycl::nd_item<1> item) {
                             const std::size_t i = item.get_local_id(0), at = item.get_global_id(0);
                             le[i] = ge[at];
                             lh[i] = gh[at];
                             sycl::group_barrier(item.get_group());
                             for (std::size_t t = 0; t < fdtd_steps; ++t) {
                               if (i + 1 < cells) lh[i] += fdtd_speed * (le[i + 1] - le[i]);
                               sycl::group_barrier(item.get_group());
                               if (i > 0) le[i] += fdtd_speed * (lh[i] - lh[i - 1]);
                               sycl::group_barrier(item.get_group());
                             }
                             ge[at] = le[i];
                             gh[at] = lh[i];
                           });
    });
  }
  void wait() { queue.wait(); }
  double checksum() { return e.checksum() + 3 * h.checksum(); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<float> e, h;
};

}  // namespace

subject fdtd(std::size_t lines) { return repeated(std::make_shared<fields>(lines)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
