// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sycl/sycl.hpp>
#include <vector>

namespace cholesky {

/// Factors a symmetric, positive definite matrix into L times its transpose, tile by tile. Every task works on whole
/// tiles through ranged accessors of one buffer whose pages are the tiles, so tasks on different tiles are independent
/// without anybody saying so.
class factorisation {
 public:
  using buffer = sycl::buffer<double, 2>;

  factorisation(const std::vector<double>& matrix, std::size_t n, std::size_t tile)
      : n_(n),
        tile_(tile),
        tiles_((n + tile - 1) / tile),
        source_(matrix.data(), sycl::range<2>(n, n), pages(tile)),
        factor_(sycl::range<2>(n, n), pages(tile)) {}

  /// Submits the whole factorisation, beginning with a copy of the matrix, to `q`: eagerly, or into the graph that
  /// records `q`. Returns the number of tasks.
  std::size_t submit(sycl::queue& q) {
    tasks_ = 0;
    for (std::size_t i = 0; i < tiles_; ++i)
      for (std::size_t j = 0; j <= i; ++j) submit_copy(q, i, j);
    for (std::size_t k = 0; k < tiles_; ++k) {
      submit_potrf(q, k);
      for (std::size_t i = k + 1; i < tiles_; ++i) submit_trsm(q, i, k);
      for (std::size_t i = k + 1; i < tiles_; ++i) {
        submit_syrk(q, i, k);
        for (std::size_t j = k + 1; j < i; ++j) submit_gemm(q, i, j, k);
      }
    }
    return tasks_;
  }

  /// The lower triangle of L, zero above it; waits for what was submitted.
  std::vector<double> read() {
    const sycl::host_accessor l(factor_, sycl::read_only);
    std::vector<double> result(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j <= i; ++j) result[i * n_ + j] = l[i][j];
    return result;
  }

 private:
  static sycl::property_list pages(std::size_t tile) {
    return {sycl::ext::pianola::property::buffer::page_size<2>(sycl::range<2>(tile, tile))};
  }

  std::size_t first(std::size_t t) const { return t * tile_; }
  std::size_t last(std::size_t t) const { return std::min(n_, (t + 1) * tile_); }
  sycl::range<2> extent(std::size_t i, std::size_t j) const {
    return {last(i) - first(i), last(j) - first(j)};
  }
  sycl::id<2> offset(std::size_t i, std::size_t j) const { return {first(i), first(j)}; }

  /// An accessor of tile (i, j) of the factor; its indices count from the tile's corner.
  template <class Mode>
  auto tile_of(sycl::handler& h, std::size_t i, std::size_t j, Mode mode) {
    return sycl::accessor{factor_, h, extent(i, j), offset(i, j), mode};
  }

  void submit_copy(sycl::queue& q, std::size_t i, std::size_t j) {
    ++tasks_;
    q.submit([&](sycl::handler& h) {
      const sycl::accessor from{source_, h, extent(i, j), offset(i, j), sycl::read_only};
      const sycl::accessor to{factor_,      h, extent(i, j), offset(i, j), sycl::write_only,
                              sycl::no_init};
      h.copy(from, to);
    });
  }

  /// L(k,k) from A(k,k). A matrix that is not positive definite gives NaN, which the final check sees.
  void submit_potrf(sycl::queue& q, std::size_t k) {
    ++tasks_;
    q.submit([&](sycl::handler& h) {
      const auto a = tile_of(h, k, k, sycl::read_write);
      const std::size_t n = extent(k, k)[0];
      h.single_task([=] {
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t i = j; i < n; ++i) {
            double sum = a[i][j];
            for (std::size_t p = 0; p < j; ++p) sum -= a[i][p] * a[j][p];
            a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
          }
        }
      });
    });
  }

  /// L(i,k) = A(i,k) inverse(transpose(L(k,k))): every row is solved on its own.
  void submit_trsm(sycl::queue& q, std::size_t i, std::size_t k) {
    ++tasks_;
    q.submit([&](sycl::handler& h) {
      const auto l = tile_of(h, k, k, sycl::read_only);
      const auto a = tile_of(h, i, k, sycl::read_write);
      const std::size_t columns = extent(i, k)[1];
      h.parallel_for(sycl::range<1>(extent(i, k)[0]), [=](sycl::id<1> row) {
        for (std::size_t j = 0; j < columns; ++j) {
          double sum = a[row][j];
          for (std::size_t p = 0; p < j; ++p) sum -= a[row][p] * l[j][p];
          a[row][j] = sum / l[j][j];
        }
      });
    });
  }

  /// A(i,i) -= L(i,k) transpose(L(i,k)), lower triangle.
  void submit_syrk(sycl::queue& q, std::size_t i, std::size_t k) {
    ++tasks_;
    q.submit([&](sycl::handler& h) {
      const auto l = tile_of(h, i, k, sycl::read_only);
      const auto a = tile_of(h, i, i, sycl::read_write);
      const std::size_t columns = extent(i, k)[1];
      h.parallel_for(extent(i, i), [=](sycl::id<2> at) {
        if (at[1] > at[0]) return;
        double sum = 0;
        for (std::size_t p = 0; p < columns; ++p) sum += l[at[0]][p] * l[at[1]][p];
        a[at] -= sum;
      });
    });
  }

  /// A(i,j) -= L(i,k) transpose(L(j,k)).
  void submit_gemm(sycl::queue& q, std::size_t i, std::size_t j, std::size_t k) {
    ++tasks_;
    q.submit([&](sycl::handler& h) {
      const auto left = tile_of(h, i, k, sycl::read_only);
      const auto right = tile_of(h, j, k, sycl::read_only);
      const auto a = tile_of(h, i, j, sycl::read_write);
      const std::size_t columns = extent(i, k)[1];
      h.parallel_for(extent(i, j), [=](sycl::id<2> at) {
        double sum = 0;
        for (std::size_t p = 0; p < columns; ++p) sum += left[at[0]][p] * right[at[1]][p];
        a[at] -= sum;
      });
    });
  }

  std::size_t n_;
  std::size_t tile_;
  std::size_t tiles_;
  std::size_t tasks_ = 0;
  buffer source_;
  buffer factor_;
};

}  // namespace cholesky
