// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <sycl/sycl.hpp>

#include "functions.hpp"

int main() {
  sycl::queue q;
  int* out = sycl::malloc_shared<int>(64, q);
  try {
    q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
       out[i] = twice(static_cast<int>(i[0])) + 1;
     }).wait();
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += out[i];
    std::printf("%d\n", sum);
  } catch (const sycl::exception& e) {
    std::printf("%s\n", e.code() == sycl::errc::kernel_not_supported ? e.what() : "another error");
  }
  // No kernel of another unit, and so never without images.
  q.single_task([=] { out[0] = 5; }).wait();
  std::printf("%d\n", out[0]);
  sycl::free(out, q);
}
