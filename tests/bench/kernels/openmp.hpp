// SPDX-License-Identifier: Apache-2.0
#pragma once
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

}  // namespace bench::openmp
