// SPDX-License-Identifier: Apache-2.0
// A five-point Jacobi iteration on n x n floats between two fields, one step after the other.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "comparison.hpp"

namespace bench {

struct free_memory {
  void operator()(float* p) const noexcept { std::free(p); }
};
using field = std::unique_ptr<float[], free_memory>;

// Aligned alike for everybody, so that no side wins by chance.
inline field initial_field(std::size_t n) {
  field f(
      static_cast<float*>(std::aligned_alloc(4096, (n * n * sizeof(float) + 4095) / 4096 * 4096)));
  if (f == nullptr) throw std::bad_alloc();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) f[i * n + j] = i == 0 ? 1.0F : j == 0 ? 0.5F : 0.0F;
  return f;
}

inline double sum_of(const float* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

// Ours, as a queue that captures by itself runs it, and by other ways.
[[nodiscard]] subject jacobi_captured(std::size_t n);
[[nodiscard]] subject jacobi_replayed(std::size_t n, std::uint64_t steps);  // so many in a graph
[[nodiscard]] subject jacobi_eager(std::size_t n);
[[nodiscard]] subject jacobi_usm(std::size_t n);
[[nodiscard]] subject jacobi_usm_captured(std::size_t n);

// References; a unit of work is a step.
[[nodiscard]] subject jacobi_parallel_for(std::size_t n);  // a parallel region per step
[[nodiscard]] subject jacobi_persistent(std::size_t n);    // one region, a barrier per step
[[nodiscard]] subject jacobi_serial(std::size_t n);

}  // namespace bench
