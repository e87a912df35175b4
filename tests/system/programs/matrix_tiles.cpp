// SPDX-License-Identifier: Apache-2.0
// A matrix product by tiles, with parallel_for_work_group and with nd_range; and output by a stream.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

using namespace sycl;

constexpr size_t n = 48, tile = 8;

template <typename T, int Tile>
class product {
 public:
  product(accessor<T, 2, access_mode::read> a, accessor<T, 2, access_mode::read> b,
          accessor<T, 2, access_mode::write> c, handler& h)
      : a_(a), b_(b), c_(c), left_(range<2>(Tile, Tile), h), right_({Tile, Tile}, h) {}
  void operator()(nd_item<2> it) const {
    const auto local = it.get_local_id();
    const auto global = it.get_global_id();
    T sum{};
    for (size_t t = 0; t < a_.get_range()[1] / Tile; ++t) {
      left_[local] = a_[global[0]][t * Tile + local[1]];
      right_[local[0]][local[1]] = b_[{t * Tile + local[0], global[1]}];
      group_barrier(it.get_group());
      for (size_t k = 0; k < Tile; ++k)
        sum = sycl::mad(left_[local[0]][k], right_[k][local[1]], sum);
      group_barrier(it.get_group());
    }
    c_[global] = sum;
  }

 private:
  accessor<T, 2, access_mode::read> a_, b_;
  accessor<T, 2, access_mode::write> c_;
  local_accessor<T, 2> left_, right_;
};

int main() {
  std::vector<float> a(n * n), b(n * n), c(n * n), t(n * n);
  for (size_t i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5) - 2;
  }
  queue q;
  {
    buffer<float, 2> a_buf(a.data(), range(n, n)), b_buf(b.data(), range(n, n)),
        c_buf(c.data(), range(n, n)), t_buf(t.data(), range(n, n));
    q.submit([&](handler& h) {
      accessor<float, 2, access_mode::read> a_acc(a_buf, h), b_acc(b_buf, h, read_only);
      accessor<float, 2, access_mode::write> c_acc(c_buf, h, no_init);
      h.parallel_for(nd_range<2>({n, n}, {tile, tile}),
                     product<float, tile>(a_acc, b_acc, c_acc, h));
    });
    q.submit([&](handler& h) {
      accessor in(c_buf, h, read_only);
      accessor out(t_buf, h, write_only);
      stream os(1024, 128, h);
      h.parallel_for_work_group<class transposed>(
          range<2>(n / tile, n / tile), range<2>(tile, tile), [=](group<2> g) {
            float tile_of[tile][tile];
            private_memory<float, 2> mine(g);
            g.parallel_for_work_item([&](h_item<2> it) { mine(it) = in[it.get_global_id()]; });
            g.parallel_for_work_item([&](h_item<2> it) {
              tile_of[it.get_local_id(0)][it.get_local_id(1)] = mine(it) + 1;
            });
            if (g.get_group_linear_id() == 0)
              os << "tile " << g.get_group_id() << ' ' << setprecision(3) << tile_of[0][1] << endl;
            g.parallel_for_work_item(range<2>(tile, tile), [&](h_item<2> it) {
              const size_t y = it.get_local_id(0), x = it.get_local_id(1);
              out[g[1] * tile + y][g[0] * tile + x] = tile_of[x][y];
            });
          });
    });
  }
  q.wait();  // the stream is printed behind the kernel
  int wrong = 0;
  for (size_t y = 0; y < n; ++y)
    for (size_t x = 0; x < n; ++x) {
      float sum = 0;
      for (size_t k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
      wrong += c[y * n + x] != sum || t[x * n + y] != sum + 1;
    }
  if (wrong) std::printf("matrix_tiles: %d wrong elements\n", wrong);
  return wrong != 0;
}
