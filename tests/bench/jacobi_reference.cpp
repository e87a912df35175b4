// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "jacobi.hpp"

namespace bench {

namespace {

inline void update_row(const float* __restrict from, float* __restrict to, std::size_t i,
                       std::size_t n) {
#pragma omp simd
  for (std::size_t j = 1; j < n - 1; ++j) {
    const std::size_t k = i * n + j;
    to[k] = 0.2F * (from[k] + from[k - n] + from[k + n] + from[k - 1] + from[k + 1]);
  }
}

struct fields {
  explicit fields(std::size_t size) : n(size), from(initial_field(n)), to(initial_field(n)) {}
  std::size_t n;
  field from, to;
};

template <class Steps>
subject reference(std::size_t n, Steps steps) {
  auto f = std::make_shared<fields>(n);
  return {[f, steps](std::uint64_t units) {
            const double time =
                nanoseconds_of([&] { steps(f->from.get(), f->to.get(), f->n, units); });
            if (units % 2 != 0) std::swap(f->from, f->to);
            return time;
          },
          [f] { return sum_of(f->from.get(), f->n * f->n); }};
}

}  // namespace

subject jacobi_parallel_for(std::size_t n) {
  return reference(n, [](float* from, float* to, std::size_t size, std::uint64_t steps) {
    for (std::uint64_t s = 0; s < steps; ++s) {
#pragma omp parallel for schedule(static)
      for (std::size_t i = 1; i < size - 1; ++i) update_row(from, to, i, size);
      std::swap(from, to);
    }
  });
}

subject jacobi_persistent(std::size_t n) {
  return reference(n, [](float* from, float* to, std::size_t size, std::uint64_t steps) {
#pragma omp parallel firstprivate(from, to)
    for (std::uint64_t s = 0; s < steps; ++s) {
#pragma omp for schedule(static)
      for (std::size_t i = 1; i < size - 1; ++i) update_row(from, to, i, size);
      std::swap(from, to);
    }
  });
}

subject jacobi_serial(std::size_t n) {
  return reference(n, [](float* from, float* to, std::size_t size, std::uint64_t steps) {
    for (std::uint64_t s = 0; s < steps; ++s) {
      for (std::size_t i = 1; i < size - 1; ++i) update_row(from, to, i, size);
      std::swap(from, to);
    }
  });
}

}  // namespace bench
