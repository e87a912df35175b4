// SPDX-License-Identifier: Apache-2.0
// Tiled matrix products of three element types and two tile sizes, on buffers.
#include <sycl/sycl.hpp>

#include "print.hpp"

template <class T, std::size_t Tile>
class tiled_product {
 public:
  tiled_product(sycl::handler& h, sycl::buffer<T, 2>& a, sycl::buffer<T, 2>& b,
                sycl::buffer<T, 2>& c)
      : a_(a, h, sycl::read_only),
        b_(b, h, sycl::read_only),
        c_(c, h, sycl::write_only, sycl::no_init),
        left_({Tile, Tile}, h),
        right_({Tile, Tile}, h),
        inner_(a.get_range()[1]) {}

  void operator()(sycl::nd_item<2> item) const {
    const auto at = item.get_global_id();
    const std::size_t r = item.get_local_id(0), c = item.get_local_id(1);
    T sum{};
    for (std::size_t t = 0; t < inner_; t += Tile) {
      left_[r][c] = a_[at[0]][t + c];
      right_[r][c] = b_[t + r][at[1]];
      sycl::group_barrier(item.get_group());
      for (std::size_t k = 0; k < Tile; ++k) sum += left_[r][k] * right_[k][c];
      sycl::group_barrier(item.get_group());
    }
    c_[at] = sum;
  }

 private:
  sycl::accessor<T, 2, sycl::access::mode::read> a_, b_;
  sycl::accessor<T, 2, sycl::access::mode::write> c_;
  sycl::local_accessor<T, 2> left_, right_;
  std::size_t inner_;
};

template <class T, std::size_t Tile>
void multiply(sycl::queue& queue, const char* name) {
  const sycl::range<2> left(2 * Tile, 3 * Tile), right(3 * Tile, 4 * Tile);
  const sycl::range<2> product(left[0], right[1]);
  sycl::buffer<T, 2> a(left), b(right), c(product);
  const auto fill = [&](sycl::buffer<T, 2>& to, int modulus) {
    queue.submit([&](sycl::handler& h) {
      sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(to.get_range(), [=](sycl::item<2> i) {
        out[i] = static_cast<T>(static_cast<int>(i.get_linear_id()) % modulus - 5) / T{3};
      });
    });
  };
  fill(a, 13);
  fill(b, 17);
  queue.submit([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<2>(product, {Tile, Tile}), tiled_product<T, Tile>(h, a, b, c));
  });
  const sycl::host_accessor result(c, sycl::read_only);
  print(name, &result[0][0], product.size());
}

int main() {
  sycl::queue queue;
  multiply<float, 16>(queue, "float, tiles of 16");
  multiply<double, 8>(queue, "double, tiles of 8");
  multiply<int, 5>(queue, "int, tiles of 5");
}
