// SPDX-License-Identifier: Apache-2.0
// Bitonic sort: distances within a work-group's block in local memory, with a barrier per step; longer
// ones as steps over the whole array.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

template <class Data>
void compare_exchange(const Data& data, std::size_t low, std::size_t high, bool ascending) {
  const std::uint32_t x = data[low], y = data[high];
  const std::uint32_t smaller = y < x ? y : x, larger = y < x ? x : y;
  data[low] = ascending ? smaller : larger;
  data[high] = ascending ? larger : smaller;
}

struct sorting : unsorted_numbers {
  explicit sorting(std::size_t count) : unsorted_numbers(count) {
    if ((n & (n - 1)) != 0 || n < bitonic_block)
      throw std::invalid_argument("bitonic_sort: n must be a power of two of at least 512");
  }
  // Sequences of up to `last` elements, from sequences of `first` / 2, as far as they fit into a block.
  void in_groups(std::size_t first, std::size_t last) {
    constexpr std::size_t block = bitonic_block;
    queue.submit([&](sycl::handler& h) {
      const sycl::local_accessor<std::uint32_t, 1> local(sycl::range<1>(block), h);
      h.parallel_for(
          sycl::nd_range<1>(n / 2, block / 2), [=, p = data.get()](sycl::nd_item<1> item) {
            const std::size_t id = item.get_local_id(0);
            const std::size_t base = item.get_group(0) * block;
            local[id] = p[base + id];
            local[id + block / 2] = p[base + id + block / 2];
            sycl::group_barrier(item.get_group());
            for (std::size_t length = first; length <= last; length *= 2) {
              for (std::size_t distance = length < block ? length / 2 : block / 2; distance > 0;
                   distance /= 2) {
                const std::size_t low = 2 * id - (id & (distance - 1));
                compare_exchange(local, low, low + distance, ((base + low) & length) == 0);
                sycl::group_barrier(item.get_group());
              }
            }
            p[base + id] = local[id];
            p[base + id + block / 2] = local[id + block / 2];
          });
    });
  }
  void whole_array(std::size_t length, std::size_t distance) {
    queue.parallel_for(sycl::range<1>(n / 2), [=, p = data.get()](sycl::id<1> i) {
      const std::size_t low = 2 * i[0] - (i[0] & (distance - 1));
      compare_exchange(p, low, low + distance, (low & length) == 0);
    });
  }
  void step() {
    in_groups(2, bitonic_block);
    for (std::size_t length = 2 * bitonic_block; length <= n; length *= 2) {
      for (std::size_t distance = length / 2; distance >= bitonic_block; distance /= 2)
        whole_array(length, distance);
      in_groups(length, length);
    }
  }
};

}  // namespace

subject bitonic_sort(std::size_t n) { return refilled(std::make_shared<sorting>(n)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
