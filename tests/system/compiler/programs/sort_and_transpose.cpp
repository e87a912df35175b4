// SPDX-License-Identifier: Apache-2.0
// Bitonic sort of blocks and a transposition, both through local memory.
#include <cstdint>
#include <sycl/sycl.hpp>

#include "print.hpp"

template <class Less>
void sort_blocks(sycl::queue& queue, std::int64_t* data, std::size_t n, std::size_t block,
                 Less less) {
  queue.submit([&](sycl::handler& h) {
    const sycl::local_accessor<std::int64_t, 1> local(sycl::range<1>(block), h);
    h.parallel_for(sycl::nd_range<1>(n, block), [=](sycl::nd_item<1> item) {
      const std::size_t id = item.get_local_linear_id();
      local[id] = data[item.get_global_id(0)];
      sycl::group_barrier(item.get_group());
      for (std::size_t length = 2; length <= block; length <<= 1)
        for (std::size_t distance = length >> 1; distance > 0; distance >>= 1) {
          const std::size_t partner = id ^ distance;
          if (partner > id) {
            const bool ascending = (id & length) == 0;
            if (less(local[partner], local[id]) == ascending) {
              const std::int64_t kept = local[id];
              local[id] = local[partner];
              local[partner] = kept;
            }
          }
          sycl::group_barrier(item.get_group());
        }
      data[item.get_global_id(0)] = local[id];
    });
  });
  queue.wait();
}

void transpose(sycl::queue& queue, sycl::buffer<std::int64_t, 2>& from,
               sycl::buffer<std::int64_t, 2>& to) {
  constexpr std::size_t tile = 8, rows = 2;
  const auto size = from.get_range();
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor in(from, h, sycl::read_only);
    const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    const sycl::local_accessor<std::int64_t, 2> block(sycl::range<2>(tile, tile + 1), h);
    // Each work-item moves several rows of its tile.
    h.parallel_for(sycl::nd_range<2>({size[0] / tile * rows, size[1]}, {rows, tile}),
                   [=](sycl::nd_item<2> item) {
                     const std::size_t x = item.get_local_id(1), y = item.get_local_id(0);
                     const std::size_t row = item.get_group(0) * tile,
                                       column = item.get_group(1) * tile;
                     for (std::size_t r = y; r < tile; r += rows)
                       block[r][x] = in[row + r][column + x];
                     sycl::group_barrier(item.get_group());
                     for (std::size_t r = y; r < tile; r += rows)
                       out[column + r][row + x] = block[x][r];
                   });
  });
}

int main() {
  sycl::queue queue;
  constexpr std::size_t n = 1024, block = 64;
  auto* const data = sycl::malloc_shared<std::int64_t>(n, queue);
  for (std::size_t i = 0; i < n; ++i)
    data[i] = static_cast<std::int64_t>((i * 2654435761U) % 1000003) - 500000;
  sort_blocks(queue, data, n, block, [](std::int64_t a, std::int64_t b) { return a < b; });
  print("ascending blocks", data, n);
  sort_blocks(queue, data, n, 2 * block, [](std::int64_t a, std::int64_t b) {
    return a % 1000 != b % 1000 ? a % 1000 > b % 1000 : a > b;
  });
  print("blocks by their last three digits", data, n);
  std::vector<std::int64_t> turned(n);
  {
    sycl::buffer<std::int64_t, 2> from(data, sycl::range<2>(16, n / 16));
    sycl::buffer<std::int64_t, 2> to(turned.data(), sycl::range<2>(n / 16, 16));
    transpose(queue, from, to);
  }
  print("transposed", turned);
  sycl::free(data, queue);
}
