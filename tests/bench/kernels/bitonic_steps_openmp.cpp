// SPDX-License-Identifier: Apache-2.0
// The steps of the sort as parallel loops, one after the other.
#include "openmp.hpp"

namespace bench::openmp {

namespace {

struct sorting_by_steps {
  explicit sorting_by_steps(std::size_t count)
      : n(count),
        source(filled<std::uint32_t>(n, bitonic_value)),
        data(filled<std::uint32_t>(n, [](std::size_t) { return 0U; })) {}
  void step() {
    std::uint32_t* const p = data.get();
    const auto count = static_cast<int>(n);
    for (int length = 2; length <= count; length *= 2)
      for (int sequence = length; sequence > 1; sequence /= 2) {
        const int sequences = length / sequence;
#pragma omp parallel for schedule(static)
        for (int i = 0; i < count; ++i) bitonic_step(p, i, sequence, sequences);
      }
  }
  void refill() {
    const std::uint32_t* const from = source.get();
    std::uint32_t* const p = data.get();
    const std::size_t count = n;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i) p[i] = from[i];
  }
  // All sides must have this checksum, so that one look at the order is enough.
  [[nodiscard]] double checksum() const {
    return std::is_sorted(data.get(), data.get() + n) ? checksum_of(data.get(), n) : -1;
  }
  std::size_t n;
  array<std::uint32_t> source, data;
};

}  // namespace

subject bitonic_steps(std::size_t n) {
  auto s = std::make_shared<sorting_by_steps>(n);
  return {[s](std::uint64_t units) {
            double time = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              s->refill();
              time += nanoseconds_of([&] { s->step(); });
            }
            return time;
          },
          [s] { return s->checksum(); }};
}

}  // namespace bench::openmp
