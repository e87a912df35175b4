// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <vector>

#include "openmp.hpp"

namespace bench::openmp {

namespace {

struct sum_of_all {
  explicit sum_of_all(std::size_t count) : n(count), x(filled<float>(n, sum_value)) {}
  void step() {
    const float* in = x.get();
    float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i) sum += in[i];
    total = sum;
  }
  [[nodiscard]] double checksum() const { return rounded_sum(checksum_of(&total, 1), n); }

  std::size_t n;
  array<float> x;
  float total = 0;
};

// Each thread adds up a slice, then scans it. clang's own scan of a whole loop keeps a copy of all values on the
// stack: it ends in a fault for so many.
struct scan {
  explicit scan(std::size_t count)
      : n(count),
        x(filled<float>(n, sum_value)),
        result(filled<float>(n, [](std::size_t) { return 0.0F; })) {}
  void step() {
    const float* in = x.get();
    float* out = result.get();
    std::vector<float> sums(static_cast<std::size_t>(omp_get_max_threads()) + 1);
#pragma omp parallel
    {
      const auto threads = static_cast<std::size_t>(omp_get_num_threads());
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      const std::size_t first = n * thread / threads, last = n * (thread + 1) / threads;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = first; i < last; ++i) sum += in[i];
      sums[thread + 1] = sum;
#pragma omp barrier
      float running = 0;
      for (std::size_t t = 0; t <= thread; ++t) running += sums[t];
#pragma omp simd reduction(inscan, + : running)
      for (std::size_t i = first; i < last; ++i) {
        running += in[i];
#pragma omp scan inclusive(running)
        out[i] = running;
      }
    }
  }
  [[nodiscard]] double checksum() const { return rounded_sum(checksum_of(result.get(), n), n); }

  std::size_t n;
  array<float> x, result;
};

}  // namespace

subject sum(std::size_t n) { return repeated(std::make_shared<sum_of_all>(n)); }
subject inclusive_scan(std::size_t n) { return repeated(std::make_shared<scan>(n)); }

}  // namespace bench::openmp
