// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <sycl/sycl.hpp>

SYCL_EXTERNAL int half(int x);

int main() {
  sycl::queue q;
  int* halves = sycl::malloc_shared<int>(100, q);
  q.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) {
     halves[i] = half(static_cast<int>(i[0]));
   }).wait();
  std::printf("%d\n", halves[99]);
  sycl::free(halves, q);
}
