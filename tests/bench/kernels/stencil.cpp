// SPDX-License-Identifier: Apache-2.0
// A seven-point stencil: each work-group loads its block and the faces around it into local memory.
#include <utility>

#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

// The field has a border one cell wide that never changes.
struct steps {
  explicit steps(std::size_t size)
      : n(size), w(n + 2), first(queue, w * w * w), second(queue, w * w * w) {
    if (n % stencil_x != 0) throw std::invalid_argument("stencil: n must be a multiple of 32");
    first.fill([](std::size_t i) { return stencil_value(i); });
    second.fill([](std::size_t i) { return stencil_value(i); });
  }
  void step() {
    constexpr std::size_t Z = stencil_z, Y = stencil_y, X = stencil_x;
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<float, 3> t(sycl::range<3>(Z + 2, Y + 2, X + 2), h);
      h.parallel_for(sycl::nd_range<3>({n, n, n}, {Z, Y, X}),
                     [=, in = std::as_const(*from).get(), out = to->get(), row = w,
                      plane = w * w](sycl::nd_item<3> item) {
                       const std::size_t z = item.get_local_id(0) + 1, y = item.get_local_id(1) + 1,
                                         x = item.get_local_id(2) + 1;
                       const std::size_t at = (item.get_global_id(0) + 1) * plane +
                                              (item.get_global_id(1) + 1) * row +
                                              item.get_global_id(2) + 1;
                       t[z][y][x] = in[at];
                       if (z == 1) t[0][y][x] = in[at - plane];
                       if (z == Z) t[Z + 1][y][x] = in[at + plane];
                       if (y == 1) t[z][0][x] = in[at - row];
                       if (y == Y) t[z][Y + 1][x] = in[at + row];
                       if (x == 1) t[z][y][0] = in[at - 1];
                       if (x == X) t[z][y][X + 1] = in[at + 1];
                       sycl::group_barrier(item.get_group());
                       out[at] = stencil_centre * t[z][y][x] +
                                 stencil_side * (t[z - 1][y][x] + t[z + 1][y][x] + t[z][y - 1][x] +
                                                 t[z][y + 1][x] + t[z][y][x - 1] + t[z][y][x + 1]);
                     });
    });
    std::swap(from, to);
  }
  void wait() { queue.wait(); }
  double checksum() { return from->checksum(); }

  std::size_t n, w;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<float> first, second;
  device_array<float>* from = &first;
  device_array<float>* to = &second;
};

}  // namespace

subject stencil(std::size_t n) { return repeated(std::make_shared<steps>(n)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
