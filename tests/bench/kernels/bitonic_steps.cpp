// SPDX-License-Identifier: Apache-2.0
// Bitonic sort as programs for GPUs often write it: a kernel for each step over the whole array, without
// local memory, in which each work-item divides to find its sequence and partner.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

struct sorting_by_steps : unsorted_numbers {
  explicit sorting_by_steps(std::size_t count) : unsorted_numbers(count) {
    if ((n & (n - 1)) != 0 || n < bitonic_steps_group)
      throw std::invalid_argument("bitonic_steps: n must be a power of two of at least 256");
  }
  void step() {
    const auto count = static_cast<int>(n);
    for (int length = 2; length <= count; length *= 2)
      for (int sequence = length; sequence > 1; sequence /= 2)
        one_step(sequence, length / sequence);
  }
  void one_step(int sequence, int sequences) {
    queue.parallel_for(
        sycl::nd_range<1>(n, bitonic_steps_group), [=, p = data.get()](sycl::nd_item<1> item) {
          bitonic_step(p, static_cast<int>(item.get_global_id(0)), sequence, sequences);
        });
  }
};

}  // namespace

subject bitonic_steps(std::size_t n) { return refilled(std::make_shared<sorting_by_steps>(n)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
