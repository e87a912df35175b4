// SPDX-License-Identifier: Apache-2.0
// Kernels that run before main.
#include <cstdio>

#include <sycl/sycl.hpp>

namespace {

int compute(int n) {
  sycl::queue q;
  int* out = sycl::malloc_shared<int>(8, q);
  q.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) {
     out[i] = n * static_cast<int>(i[0]);
   }).wait();
  const int result = out[7];
  sycl::free(out, q);
  return result;
}

struct early {
  early() { std::printf("%d\n", compute(1)); }
} object;

}  // namespace

int main() { std::printf("%d\n", compute(2)); }
