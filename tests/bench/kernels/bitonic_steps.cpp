// SPDX-License-Identifier: Apache-2.0
// Bitonic sort as programs for GPUs often write it: a kernel for each step over the whole array, without
// local memory, in which each work-item divides to find its sequence and partner.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

struct sorting_by_steps {
  explicit sorting_by_steps(std::size_t count) : n(count), source(queue, n), data(queue, n) {
    if ((n & (n - 1)) != 0 || n < bitonic_steps_group)
      throw std::invalid_argument("bitonic_steps: n must be a power of two of at least 256");
    source.fill([](std::size_t i) { return bitonic_value(i); });
    data.fill([](std::size_t) { return 0U; });
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
  void wait() { queue.wait(); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<std::uint32_t> source, data;
};

}  // namespace

subject bitonic_steps(std::size_t n) {
  auto s = std::make_shared<sorting_by_steps>(n);
  return {[s](std::uint64_t units) {
            double time = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              s->queue.memcpy(s->data.get(), s->source.get(), s->n * sizeof(std::uint32_t)).wait();
              time += nanoseconds_of([&] {
                s->step();
                s->wait();
              });
            }
            return time;
          },
          [s] { return s->data.checksum(); }};
}

}  // namespace bench::PIANOLA_BENCH_SIDE
