// SPDX-License-Identifier: Apache-2.0
// Tiled matrix product: two tiles in local memory, two barriers per tile.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

struct product {
  explicit product(std::size_t size) : n(size), a(queue, n * n), b(queue, n * n), c(queue, n * n) {
    a.fill([](std::size_t i) { return matmul_a(i); });
    b.fill([](std::size_t i) { return matmul_b(i); });
    c.fill([](std::size_t) { return 0.0F; });
  }
  void step() {
    constexpr std::size_t tile = matmul_tile;
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<float, 2> ta(sycl::range<2>(tile, tile), h);
      const sycl::local_accessor<float, 2> tb(sycl::range<2>(tile, tile), h);
      h.parallel_for(sycl::nd_range<2>({n, n}, {tile, tile}),
                     [=, A = a.get(), B = b.get(), C = c.get(), size = n](sycl::nd_item<2> item) {
                       const std::size_t row = item.get_global_id(0),
                                         column = item.get_global_id(1);
                       const std::size_t r = item.get_local_id(0), c = item.get_local_id(1);
                       float sum = 0;
                       for (std::size_t t = 0; t < size; t += tile) {
                         ta[r][c] = A[row * size + t + c];
                         tb[r][c] = B[(t + r) * size + column];
                         sycl::group_barrier(item.get_group());
                         for (std::size_t k = 0; k < tile; ++k) sum += ta[r][k] * tb[k][c];
                         sycl::group_barrier(item.get_group());
                       }
                       C[row * size + column] = sum;
                     });
    });
  }
  void wait() { queue.wait(); }
  double checksum() { return c.checksum(); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<float> a, b, c;
};

}  // namespace

subject matmul(std::size_t n) { return repeated(std::make_shared<product>(n)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
