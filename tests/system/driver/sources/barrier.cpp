// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
  constexpr int n = 64;
  sycl::queue q;
  int* data = sycl::malloc_shared<int>(n, q);
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<int> tile(16, h);
    h.parallel_for(sycl::nd_range<1>(n, 16), [=](sycl::nd_item<1> item) {
      const int local = static_cast<int>(item.get_local_id(0));
      tile[local] = local;
      sycl::group_barrier(item.get_group());
      data[item.get_global_id(0)] = tile[15 - local];
    });
  });
  q.wait();
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += (i % 7) * data[i];
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += (i % 7) * (15 - i % 16);
  sycl::free(data, q);
  std::puts(sum == expected ? "30" : "wrong");
  return sum == expected ? 0 : 1;
}
