// SPDX-License-Identifier: Apache-2.0
// A barrier in a function of another unit, and a kernel of the same name as in tables.cpp.
#include <sycl/sycl.hpp>

#include "functions.hpp"

SYCL_EXTERNAL int neighbour(int x, sycl::nd_item<1> it, int* shared) {
  const int local = static_cast<int>(it.get_local_id(0));
  shared[local] = x;
  sycl::group_barrier(it.get_group());
  return shared[local ^ 1];
}

namespace {

struct in_a_kernel {
  void operator()(sycl::nd_item<1> it) const {
    const int i = static_cast<int>(it.get_global_id(0));
    out[i] = twice(i);
  }
  int* out;
};

}  // namespace

int run_tables(sycl::queue& q) {
  int* out = sycl::malloc_shared<int>(16, q);
  q.parallel_for(sycl::nd_range<1>(16, 16), in_a_kernel{out}).wait();
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += out[i];
  sycl::free(out, q);
  return sum;
}
