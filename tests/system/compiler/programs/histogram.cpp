// SPDX-License-Identifier: Apache-2.0
// A histogram per work-group in local memory, then atomics on global memory.
#include <cstdint>
#include <sycl/sycl.hpp>

#include "print.hpp"

constexpr std::size_t bins = 50, items = 64, pixels_per_item = 9;

std::uint32_t pixel(std::size_t i) {
  auto x = static_cast<std::uint32_t>(i) * 747796405U + 2891336453U;
  x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737U;
  return (x >> 22) ^ x;
}

int main() {
  sycl::queue queue;
  constexpr std::size_t groups = 12;
  std::vector<std::uint32_t> result(bins);
  {
    sycl::buffer<std::uint32_t, 1> histogram(result.data(), sycl::range<1>(bins));
    queue.submit([&](sycl::handler& h) {
      const sycl::accessor global(histogram, h, sycl::read_write);
      const sycl::local_accessor<std::uint32_t, 1> local(sycl::range<1>(bins), h);
      h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> item) {
        const auto group = item.get_group();
        for (std::size_t b = item.get_local_id(0); b < bins; b += items) local[b] = 0;
        sycl::group_barrier(group);
        const std::size_t stride = item.get_global_range(0);
        for (std::size_t k = 0; k < pixels_per_item; ++k)
          __atomic_fetch_add(&local[pixel(item.get_global_id(0) + k * stride) % bins], 1U,
                             __ATOMIC_RELAXED);
        sycl::group_barrier(group);
        for (std::size_t b = item.get_local_id(0); b < bins; b += items)
          if (local[b] != 0) __atomic_fetch_add(&global[b], local[b], __ATOMIC_RELAXED);
      });
    });
  }
  print("histogram", result);
  // The smallest and the largest value, found by compare and exchange.
  auto* const limits = sycl::malloc_shared<std::uint32_t>(2, queue);
  limits[0] = 0xffffffffU;
  limits[1] = 0;
  queue.parallel_for(sycl::range<1>(groups * items), [=](sycl::id<1> i) {
    const std::uint32_t value = pixel(i[0]);
    std::uint32_t seen = __atomic_load_n(&limits[0], __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(&limits[0], &seen, value, true,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
    __atomic_fetch_max(&limits[1], value, __ATOMIC_RELAXED);
  });
  queue.wait();
  print("limits", limits, 2);
  sycl::free(limits, queue);
}
