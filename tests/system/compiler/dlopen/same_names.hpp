// SPDX-License-Identifier: Apache-2.0
// Included by two files that compile it differently: the kernels' names are equal, the kernels are not.
#include <sycl/sycl.hpp>

namespace {

struct fill {
  int* out;
  void operator()(sycl::id<1> i) const { out[i] = VALUE; }
};

int run_fill() {
  sycl::queue q;
  int* out = sycl::malloc_shared<int>(8, q);
  q.parallel_for(sycl::range<1>(8), fill{out}).wait();
  const int result = out[3];
  sycl::free(out, q);
  return result;
}

}  // namespace
