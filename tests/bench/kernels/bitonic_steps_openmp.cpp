// SPDX-License-Identifier: Apache-2.0
// The steps of the sort as parallel loops, one after the other.
#include "openmp.hpp"

namespace bench::openmp {

namespace {

struct sorting_by_steps : unsorted_numbers {
  using unsorted_numbers::unsorted_numbers;
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
};

}  // namespace

subject bitonic_steps(std::size_t n) { return refilled(std::make_shared<sorting_by_steps>(n)); }

}  // namespace bench::openmp
