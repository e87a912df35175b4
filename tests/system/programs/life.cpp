// SPDX-License-Identifier: Apache-2.0
// The game of life with buffers that change places, and the factors of a matrix (Cholesky) with parts of a buffer:
// named kernels, placeholders, sub-buffers, ranged accessors, explicit copies.
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace kernels {
template <int Rule>
struct life;
struct scale;
}  // namespace kernels

using sycl::buffer, sycl::handler, sycl::range, sycl::id, sycl::item, sycl::accessor;

constexpr int width = 40, height = 30;

template <class Cells>
bool lives(const Cells& cells, int x, int y) {
  int around = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy)
        around += cells[static_cast<size_t>((y + dy + height) % height)]
                       [static_cast<size_t>((x + dx + width) % width)];
  return around == 3 || (around == 2 && cells[static_cast<size_t>(y)][static_cast<size_t>(x)]);
}

bool check_life(sycl::queue& q) {
  using board = std::vector<std::vector<bool>>;
  board cells(height, std::vector<bool>(width));
  buffer<bool, 2> now(range<2>(height, width)), next(now.get_range());
  {
    sycl::host_accessor start(now, sycl::write_only, sycl::no_init);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        start[static_cast<size_t>(y)][static_cast<size_t>(x)] =
            cells[static_cast<size_t>(y)][static_cast<size_t>(x)] = (x * x + 3 * y + x * y) % 5 < 2;
  }
  for (int step = 0; step < 10; ++step) {
    q.submit([&](handler& h) {
      accessor from(now, sycl::read_only);
      h.require(from);
      accessor to(next, h, sycl::write_only, sycl::no_init);
      h.parallel_for<kernels::life<3>>(to.get_range(), [=](item<2> it) {
        to[it] = lives(from, static_cast<int>(it.get_id(1)), static_cast<int>(it.get_id(0)));
      });
    });
    std::swap(now, next);
    board after = cells;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        after[static_cast<size_t>(y)][static_cast<size_t>(x)] = lives(cells, x, y);
    cells = after;
  }
  int alive = 0, expected = 0, differ = 0;
  sycl::host_accessor end{now, sycl::read_only};
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      alive += end[y][x];
      expected += cells[y][x];
      differ += end[{y, x}] != cells[y][x];
    }
  if (differ)
    std::printf("life: %d cells differ; %d are alive instead of %d\n", differ, alive, expected);
  return differ == 0;
}

bool check_cholesky(sycl::queue& q) {
  constexpr size_t n = 24;
  std::vector<float> a(n * n), l(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      a[i * n + j] = (i == j ? 30.f : 0.f) + 1.f / static_cast<float>(1 + (i > j ? i - j : j - i));
  buffer<float, 1> matrix(range<1>(n * n));
  q.submit([&](handler& h) {
    h.copy(a.data(), matrix.get_access<sycl::access::mode::discard_write>(h));
  });
  for (size_t k = 0; k < n; ++k) {
    buffer<float> row(matrix, id(k * n), range(n));
    q.submit([&](handler& h) {
      auto pivot = row.get_access(h);
      h.single_task([=]() { pivot[k] = sycl::sqrt(pivot[k]); });
    });
    auto square = matrix.reinterpret<float, 2>(range(n, n));
    if (k + 1 == n) break;
    q.submit([&](handler& h) {
      accessor all(square, h);
      h.parallel_for<kernels::scale>(n - k - 1, [=](auto i) { all[k + 1 + i][k] /= all[k][k]; });
    });
    q.submit([&](handler& h) {
      accessor part(square, h, range<2>(n - k - 1, n - k - 1), id<2>(k + 1, k + 1),
                    sycl::read_write);
      accessor column(square, h, range<2>(n - k - 1, 1), id<2>(k + 1, k), sycl::read_only);
      h.parallel_for(range{n - k - 1, n - k - 1}, [=](item<2> it) {
        if (it[1] <= it[0]) part[it] -= column[it[0]][0] * column[id<2>(it[1], 0)];
      });
    });
  }
  q.submit([&](handler& h) { h.copy(accessor(matrix, h, sycl::read_only), l.data()); });
  q.wait();
  double worst = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (size_t k = 0; k <= j; ++k) sum += double{l[i * n + k]} * l[j * n + k];
      worst = std::fmax(worst, std::fabs(sum - a[i * n + j]));
    }
  if (worst > 1e-3) std::printf("cholesky: off by %g\n", worst);
  return worst <= 1e-3;
}

int main() {
  sycl::queue q;
  bool right = check_life(q);
  right = check_cholesky(q) && right;
  return right ? 0 : 1;
}
