// SPDX-License-Identifier: Apache-2.0
// What the kernels with local memory do, written as loops: blocks in parallel, each in an array on the
// stack, the inner loops with omp simd.
#include <utility>

#include "openmp.hpp"

namespace bench::openmp {

namespace {

struct product {
  explicit product(std::size_t size)
      : n(size),
        a(filled<float>(n * n, matmul_a)),
        b(filled<float>(n * n, matmul_b)),
        c(filled<float>(n * n, [](std::size_t) { return 0.0F; })) {}
  void step() {
    constexpr std::size_t T = matmul_tile;
    const float* __restrict A = a.get();
    const float* __restrict B = b.get();
    float* __restrict C = c.get();
    const std::size_t size = n;
#pragma omp parallel for collapse(2) schedule(static)
    for (std::size_t gi = 0; gi < size; gi += T)
      for (std::size_t gj = 0; gj < size; gj += T) {
        float sum[T][T] = {}, ta[T][T], tb[T][T];
        for (std::size_t t = 0; t < size; t += T) {
          for (std::size_t r = 0; r < T; ++r)
            for (std::size_t k = 0; k < T; ++k) {
              ta[r][k] = A[(gi + r) * size + t + k];
              tb[r][k] = B[(t + r) * size + gj + k];
            }
          for (std::size_t r = 0; r < T; ++r)
            for (std::size_t k = 0; k < T; ++k) {
              const float f = ta[r][k];
#pragma omp simd
              for (std::size_t j = 0; j < T; ++j) sum[r][j] += f * tb[k][j];
            }
        }
        for (std::size_t r = 0; r < T; ++r)
          for (std::size_t j = 0; j < T; ++j) C[(gi + r) * size + gj + j] = sum[r][j];
      }
  }
  [[nodiscard]] double checksum() const { return checksum_of(c.get(), n * n); }
  std::size_t n;
  array<float> a, b, c;
};

struct tree {
  explicit tree(std::size_t count)
      : n(count),
        x(filled<float>(n, tree_value)),
        sums(filled<float>(n / tree_width, [](std::size_t) { return 0.0F; })) {}
  void step() {
    const float* __restrict p = x.get();
    float* __restrict out = sums.get();
    const std::size_t groups = n / tree_width;
#pragma omp parallel for schedule(static)
    for (std::size_t g = 0; g < groups; ++g) {
      float l[tree_width];
      for (std::size_t i = 0; i < tree_width; ++i) l[i] = p[g * tree_width + i];
      for (std::size_t half = tree_width / 2; half > 0; half >>= 1)
#pragma omp simd
        for (std::size_t i = 0; i < half; ++i) l[i] += l[i + half];
      out[g] = l[0];
    }
  }
  [[nodiscard]] double checksum() const { return checksum_of(sums.get(), n / tree_width); }
  std::size_t n;
  array<float> x, sums;
};

struct steps {
  explicit steps(std::size_t size)
      : n(size),
        w(n + 2),
        from(filled<float>(w * w * w, stencil_value)),
        to(filled<float>(w * w * w, stencil_value)) {}
  void step() {
    constexpr std::size_t Z = stencil_z, Y = stencil_y, X = stencil_x;
    const float* __restrict in = from.get();
    float* __restrict out = to.get();
    const std::size_t size = n, row = w, plane = w * w;
#pragma omp parallel for collapse(3) schedule(static)
    for (std::size_t gz = 0; gz < size; gz += Z)
      for (std::size_t gy = 0; gy < size; gy += Y)
        for (std::size_t gx = 0; gx < size; gx += X) {
          float t[Z + 2][Y + 2][X + 2];
          for (std::size_t z = 0; z < Z + 2; ++z)
            for (std::size_t y = 0; y < Y + 2; ++y) {
              // Edges and corners of the block are not needed.
              const bool inside_z = z > 0 && z <= Z, inside_y = y > 0 && y <= Y;
              if (!inside_z && !inside_y) continue;
              const std::size_t at = (gz + z) * plane + (gy + y) * row + gx;
#pragma omp simd
              for (std::size_t x = 1; x <= X; ++x) t[z][y][x] = in[at + x];
              if (inside_z && inside_y) {
                t[z][y][0] = in[at];
                t[z][y][X + 1] = in[at + X + 1];
              }
            }
          for (std::size_t z = 1; z <= Z; ++z)
            for (std::size_t y = 1; y <= Y; ++y)
#pragma omp simd
              for (std::size_t x = 1; x <= X; ++x)
                out[(gz + z) * plane + (gy + y) * row + gx + x] =
                    stencil_centre * t[z][y][x] +
                    stencil_side * (t[z - 1][y][x] + t[z + 1][y][x] + t[z][y - 1][x] +
                                    t[z][y + 1][x] + t[z][y][x - 1] + t[z][y][x + 1]);
        }
    std::swap(from, to);
  }
  [[nodiscard]] double checksum() const { return checksum_of(from.get(), w * w * w); }
  std::size_t n, w;
  array<float> from, to;
};

// The pairs of one sequence, `distance` apart.
inline void compare_exchange(std::uint32_t* data, std::size_t distance, bool ascending) {
#pragma omp simd
  for (std::size_t i = 0; i < distance; ++i) {
    const std::uint32_t x = data[i], y = data[i + distance];
    const std::uint32_t smaller = y < x ? y : x, larger = y < x ? x : y;
    data[i] = ascending ? smaller : larger;
    data[i + distance] = ascending ? larger : smaller;
  }
}

struct sorting : unsorted_numbers {
  using unsorted_numbers::unsorted_numbers;
  void in_blocks(std::size_t first, std::size_t last) {
    constexpr std::size_t block = bitonic_block;
    std::uint32_t* const p = data.get();
    const std::size_t count = n;
#pragma omp parallel for schedule(static)
    for (std::size_t base = 0; base < count; base += block) {
      std::uint32_t local[block];
      for (std::size_t i = 0; i < block; ++i) local[i] = p[base + i];
      for (std::size_t length = first; length <= last; length *= 2)
        for (std::size_t distance = length < block ? length / 2 : block / 2; distance > 0;
             distance /= 2)
          for (std::size_t at = 0; at < block; at += 2 * distance)
            compare_exchange(local + at, distance, ((base + at) & length) == 0);
      for (std::size_t i = 0; i < block; ++i) p[base + i] = local[i];
    }
  }
  void whole_array(std::size_t length, std::size_t distance) {
    std::uint32_t* const p = data.get();
    // In pieces, so that one sequence also has work for all threads.
    const std::size_t pieces = n / 2 / (bitonic_block / 2), piece = bitonic_block / 2;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::size_t pair = i * piece;
      const std::size_t low = 2 * pair - (pair & (distance - 1));
      const bool ascending = (low & length) == 0;
#pragma omp simd
      for (std::size_t k = low; k < low + piece; ++k) {
        const std::uint32_t x = p[k], y = p[k + distance];
        const std::uint32_t smaller = y < x ? y : x, larger = y < x ? x : y;
        p[k] = ascending ? smaller : larger;
        p[k + distance] = ascending ? larger : smaller;
      }
    }
  }
  void step() {
    in_blocks(2, bitonic_block);
    for (std::size_t length = 2 * bitonic_block; length <= n; length *= 2) {
      for (std::size_t distance = length / 2; distance >= bitonic_block; distance /= 2)
        whole_array(length, distance);
      in_blocks(length, length);
    }
  }
};

struct fields {
  explicit fields(std::size_t lines)
      : n(lines * fdtd_cells),
        e(filled<float>(n, fdtd_value)),
        h(filled<float>(n, [](std::size_t) { return 0.0F; })) {}
  void step() {
    constexpr std::size_t cells = fdtd_cells;
    float* const ge = e.get();
    float* const gh = h.get();
    const std::size_t count = n;
#pragma omp parallel for schedule(static)
    for (std::size_t base = 0; base < count; base += cells) {
      float le[cells], lh[cells];
      for (std::size_t i = 0; i < cells; ++i) {
        le[i] = ge[base + i];
        lh[i] = gh[base + i];
      }
      for (std::size_t t = 0; t < fdtd_steps; ++t) {
#pragma omp simd
        for (std::size_t i = 0; i < cells - 1; ++i) lh[i] += fdtd_speed * (le[i + 1] - le[i]);
#pragma omp simd
        for (std::size_t i = 1; i < cells; ++i) le[i] += fdtd_speed * (lh[i] - lh[i - 1]);
      }
      for (std::size_t i = 0; i < cells; ++i) {
        ge[base + i] = le[i];
        gh[base + i] = lh[i];
      }
    }
  }
  [[nodiscard]] double checksum() const {
    return checksum_of(e.get(), n) + 3 * checksum_of(h.get(), n);
  }
  std::size_t n;
  array<float> e, h;
};

}  // namespace

subject matmul(std::size_t n) { return repeated(std::make_shared<product>(n)); }
subject tree_reduction(std::size_t n) { return repeated(std::make_shared<tree>(n)); }
subject stencil(std::size_t n) { return repeated(std::make_shared<steps>(n)); }
subject fdtd(std::size_t lines) { return repeated(std::make_shared<fields>(lines)); }
subject bitonic_sort(std::size_t n) { return refilled(std::make_shared<sorting>(n)); }

}  // namespace bench::openmp
