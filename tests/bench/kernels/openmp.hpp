// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>

#include "kernels.hpp"

namespace bench::openmp {

template <class State>
subject repeated(std::shared_ptr<State> state) {
  return {[state](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) state->step();
            });
          },
          [state] { return state->checksum(); }};
}

// First touched by the threads that work with it.
template <class T, class Value>
array<T> filled(std::size_t count, Value value) {
  array<T> a = make_array<T>(count);
  T* const p = a.get();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) p[i] = value(i);
  return a;
}

// Numbers to be sorted, again and again.
struct unsorted_numbers {
  explicit unsorted_numbers(std::size_t count)
      : n(count),
        source(filled<std::uint32_t>(n, bitonic_value)),
        data(filled<std::uint32_t>(n, [](std::size_t) { return 0U; })) {}
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

// As `repeated`, with a `state->refill()` before each unit of work, which is not timed.
template <class State>
subject refilled(std::shared_ptr<State> state) {
  return {[state](std::uint64_t units) {
            double time = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              state->refill();
              time += nanoseconds_of([&] { state->step(); });
            }
            return time;
          },
          [state] { return state->checksum(); }};
}

}  // namespace bench::openmp
