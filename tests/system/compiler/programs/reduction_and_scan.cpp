// SPDX-License-Identifier: Apache-2.0
// Work-group trees, a scan of any length in three levels, 64-bit indices and sums.
#include <cstdint>
#include <sycl/sycl.hpp>

#include "print.hpp"

constexpr std::size_t width = 128;

template <class T>
T* reduce(sycl::queue& queue, const T* in, std::size_t n) {
  const std::size_t groups = (n + width - 1) / width;
  T* const out = sycl::malloc_shared<T>(groups, queue);
  queue.submit([&](sycl::handler& h) {
    const sycl::local_accessor<T, 1> local(sycl::range<1>(width), h);
    h.parallel_for(sycl::nd_range<1>(groups * width, width), [=](sycl::nd_item<1> item) {
      const std::size_t at = item.get_global_id(0), id = item.get_local_id(0);
      local[id] = at < n ? in[at] : T{};
      for (std::size_t half = width / 2; half != 0; half /= 2) {
        sycl::group_barrier(item.get_group());
        if (id >= half) continue;
        local[id] += local[id + half];
      }
      if (id == 0) out[item.get_group_linear_id()] = local[0];
    });
  });
  queue.wait();
  return out;
}

// Inclusive, in place; block sums go up a level.
void scan(sycl::queue& queue, std::uint64_t* data, std::size_t n) {
  const std::size_t groups = (n + width - 1) / width;
  std::uint64_t* const sums = sycl::malloc_shared<std::uint64_t>(groups, queue);
  queue.submit([&](sycl::handler& h) {
    const sycl::local_accessor<std::uint64_t, 2> local(sycl::range<2>(2, width), h);
    h.parallel_for(sycl::nd_range<1>(groups * width, width), [=](sycl::nd_item<1> item) {
      const std::size_t at = item.get_global_id(0), id = item.get_local_id(0);
      int from = 0;
      local[0][id] = at < n ? data[at] : 0;
      for (std::size_t distance = 1; distance < width; distance *= 2, from = 1 - from) {
        item.barrier(sycl::access::fence_space::local_space);
        local[1 - from][id] = local[from][id] + (id >= distance ? local[from][id - distance] : 0);
      }
      if (at < n) data[at] = local[from][id];
      if (id == width - 1) sums[item.get_group(0)] = local[from][id];
    });
  });
  queue.wait();
  if (groups > 1) {
    scan(queue, sums, groups);
    queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
      if (i[0] >= width) data[i] += sums[i[0] / width - 1];
    });
    queue.wait();
  }
  sycl::free(sums, queue);
}

int main() {
  sycl::queue queue;
  constexpr std::size_t n = 20'011;
  auto* const reals = sycl::malloc_shared<double>(n, queue);
  auto* const counts = sycl::malloc_shared<std::uint64_t>(n, queue);
  queue.parallel_for(n, [=](sycl::item<1> i) {
    reals[i] = 1.0 / static_cast<double>(i.get_id(0) + 1);
    counts[i] = (i.get_linear_id() * 2654435761U) << 20;
  });
  queue.wait();
  double* const partial = reduce(queue, reals, n);
  print("partial sums", partial, (n + width - 1) / width);
  double* const total = reduce(queue, partial, (n + width - 1) / width);
  print("their sums", total, 2);
  scan(queue, counts, n);
  print("scan", counts, n);
  for (double* const p : {reals, partial, total}) sycl::free(p, queue);
  sycl::free(counts, queue);
}
