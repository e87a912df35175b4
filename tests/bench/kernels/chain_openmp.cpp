// SPDX-License-Identifier: Apache-2.0
// The chain of kernels as parallel loops, one after the other.
#include "openmp.hpp"

namespace bench::openmp {

namespace {

struct chain_state {
  explicit chain_state(std::size_t count)
      : n(count),
        a(filled<float>(n, [](std::size_t i) { return chain_value(i); })),
        b(filled<float>(n, [](std::size_t i) { return chain_value(i + 1); })),
        c(filled<float>(n, [](std::size_t i) { return chain_value(i + 2); })) {}
  void step() {
    float* __restrict x = a.get();
    float* __restrict y = b.get();
    float* __restrict z = c.get();
    const std::size_t count = n;
    for (std::size_t s = 0; s < chain_steps; ++s) {
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < count; ++i) x[i] = 0.5F * (y[i] + z[i]);
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < count; ++i) y[i] = 0.9F * y[i] + 0.1F * x[i];
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < count; ++i) z[i] = x[i] - 0.25F * y[i];
    }
  }
  [[nodiscard]] double checksum() const {
    return checksum_of(a.get(), n) + 3 * checksum_of(b.get(), n) + 7 * checksum_of(c.get(), n);
  }
  std::size_t n;
  array<float> a, b, c;
};

}  // namespace

subject chain(std::size_t n) { return repeated(std::make_shared<chain_state>(n)); }

}  // namespace bench::openmp
