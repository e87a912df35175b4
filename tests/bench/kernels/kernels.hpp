// SPDX-License-Identifier: Apache-2.0
// Compiled kernels beside their rivals. Each SYCL source here is compiled twice, by pianolacc
// (bench::compiled) and by the same clang without it, where work-items are fibers (bench::fibers); its
// plain OpenMP version is bench::openmp. All three are linked into one program.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "../comparison.hpp"

namespace bench {

struct free_memory {
  void operator()(void* p) const noexcept { std::free(p); }
};
template <class T>
using array = std::unique_ptr<T[], free_memory>;

// A cache line's and a page's alignment for every side, so that none wins by chance; not touched.
inline constexpr std::size_t alignment = 4096;
template <class T>
array<T> make_array(std::size_t count) {
  const std::size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
  array<T> a(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
  if (a == nullptr) throw std::bad_alloc();
  return a;
}

// Depends on every value's place.
template <class T>
double checksum_of(const T* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(i % 1021 + 1);
  return sum;
}

// BabelStream's constants.
inline constexpr double stream_a = 0.1, stream_b = 0.2, stream_c = 0.0, stream_scalar = 0.4;
enum class stream_kernel : unsigned char { copy, mul, add, triad, dot };
// What is left of a dot product's value when the order of its sums does not count.
inline double rounded_dot(double sum, std::size_t n) {
  return std::round(sum / static_cast<double>(n) * 1e9);
}

inline constexpr std::size_t matmul_tile = 16;
inline float matmul_a(std::size_t i) { return static_cast<float>(i % 13) * 0.1F; }
inline float matmul_b(std::size_t i) { return static_cast<float>(i % 7) * 0.2F; }

inline constexpr std::size_t tree_width = 256;
inline float tree_value(std::size_t i) { return static_cast<float>(i % 17) * 0.3F; }

// Work-groups of 4 x 8 x 32 items.
inline constexpr std::size_t stencil_z = 4, stencil_y = 8, stencil_x = 32;
inline float stencil_value(std::size_t i) { return static_cast<float>(i % 29) * 0.1F; }
inline constexpr float stencil_centre = 0.4F, stencil_side = 0.1F;

// Elements sorted in local memory, by half as many work-items.
inline constexpr std::size_t bitonic_block = 512;
inline std::uint32_t bitonic_value(std::size_t i) {
  auto x = static_cast<std::uint32_t>(i) * 2654435761U;
  x ^= x >> 15;
  return x * 2246822519U;
}

// One step of the sort for element i: sequences of so many elements, of which as many neighbours as `sequences`
// says are sorted the same way.
inline constexpr std::size_t bitonic_steps_group = 256;
inline void bitonic_step(std::uint32_t* p, int i, int sequence, int sequences) {
  const int number = i / sequence;
  const int half = sequence / 2;
  if (i >= sequence * number + half) return;
  const int partner = i + half;
  const bool ascending = number / sequences % 2 == 0;
  if (ascending ? p[i] <= p[partner] : p[i] >= p[partner]) return;
  const std::uint32_t moved = p[i];
  p[i] = p[partner];
  p[partner] = moved;
}

// Cells of one line, which one work-group keeps in local memory for so many steps.
inline constexpr std::size_t fdtd_cells = 256, fdtd_steps = 100;
inline float fdtd_value(std::size_t i) { return static_cast<float>(i % 31) * 0.05F; }

inline constexpr float fdtd_speed = 0.5F;

// So many times three kernels in one recorded graph.
inline constexpr std::size_t chain_steps = 4;
inline float chain_value(std::size_t i) { return static_cast<float>(i % 37) * 0.02F; }

// Whole numbers whose sums are exact up to 2^26 of them, in any order.
inline float sum_value(std::size_t i) { return i % 1024 == 0 ? 1.0F : 0.0F; }
inline constexpr std::size_t scan_block = std::size_t{1} << 16;
inline double rounded_sum(double sum, std::size_t n) {
  return std::round(sum / static_cast<double>(n) * 1e3);
}

#define PIANOLA_BENCH_KERNELS_OF(side)                                                \
  namespace side {                                                                    \
  subject stream_usm(stream_kernel, std::size_t n);                                   \
  subject stream_buffers(stream_kernel, std::size_t n);                               \
  subject matmul(std::size_t n);         /* n x n; a unit is one product           */ \
  subject tree_reduction(std::size_t n); /* per group of 256                       */ \
  subject stencil(std::size_t n);        /* n^3; a unit is one step                */ \
  subject bitonic_sort(std::size_t n);   /* a unit sorts one permutation           */ \
  subject fdtd(std::size_t lines);       /* a unit is 100 steps of all lines       */ \
  subject chain(std::size_t n);          /* a unit is one replay of 12 kernels     */ \
  subject sum(std::size_t n);            /* one reduction                          */ \
  subject inclusive_scan(std::size_t n); /* one scan                               */ \
  }
PIANOLA_BENCH_KERNELS_OF(compiled)
PIANOLA_BENCH_KERNELS_OF(fibers)
PIANOLA_BENCH_KERNELS_OF(openmp)
#undef PIANOLA_BENCH_KERNELS_OF

// Steps of a heat equation in one recorded graph, a product of matrices: by one team, or in two parts.
inline constexpr std::size_t parts_steps = 16;
namespace compiled {
subject recorded_heat(std::size_t n, bool in_parts);     // n x n; a unit is one replay of 16 steps
subject recorded_product(std::size_t n, bool in_parts);  // n x n
}  // namespace compiled

// Without barriers there is nothing to learn from fibers. A unit sorts one permutation.
namespace compiled {
subject bitonic_steps(std::size_t n);
}
namespace openmp {
subject bitonic_steps(std::size_t n);
}

}  // namespace bench
