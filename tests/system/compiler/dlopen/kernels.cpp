// SPDX-License-Identifier: Apache-2.0
// A library with kernels, opened while the program runs. FACTOR tells two builds of it apart.
#include <sycl/sycl.hpp>

#ifndef FACTOR
#define FACTOR 2
#endif

namespace {
class scale;
}  // namespace

extern "C" int scale_and_sum(int n) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* data = sycl::malloc_shared<int>(static_cast<std::size_t>(n), q);
  for (int i = 0; i < n; ++i) data[i] = i;
  q.parallel_for<scale>(sycl::range<1>(static_cast<std::size_t>(n)),
                        [=](sycl::id<1> i) { data[i] *= FACTOR; });
  int* sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for(sycl::nd_range<1>(static_cast<std::size_t>(n), 8), [=](sycl::nd_item<1> i) {
    const int part =
        sycl::reduce_over_group(i.get_group(), data[i.get_global_id(0)], sycl::plus<int>());
    if (i.get_local_id(0) == 0) __atomic_fetch_add(sum, part, __ATOMIC_RELAXED);
  });
  q.wait();
  const int result = *sum;
  sycl::free(sum, q);
  sycl::free(data, q);
  return result;
}
