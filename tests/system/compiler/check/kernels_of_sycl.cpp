// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
#include <sycl/sycl.hpp>

#include <stdexcept>

namespace {
int checked(int x) {
  if (x < 0) throw std::invalid_argument("negative");
  return x;
}
}  // namespace

int main() {
  sycl::queue queue;
  int* p = sycl::malloc_shared<int>(100, queue);
  // CHECK: kernels_of_sycl.cpp:[[@LINE-8]]:14: error: kernel 'main::$_0': throws an exception
  // CHECK-NEXT: if (x < 0)
  // CHECK-NEXT: ^
  // CHECK-NEXT: note: called from 'main::$_0::operator()({{.*}}id<1>) const' at {{.*}}kernels_of_sycl.cpp:[[@LINE+2]]:
  // CHECK-NOT: note:
  queue.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { p[i] = checked(p[i]); });
  queue.submit([&](sycl::handler& h) {
    sycl::local_accessor<int> local(10, h);
    h.parallel_for(sycl::nd_range<1>(100, 10), [=](sycl::nd_item<1> item) {
      local[item.get_local_id()] = p[item.get_global_id()];
      sycl::group_barrier(item.get_group());
      p[item.get_global_id()] = local[9 - item.get_local_id(0)];
    });
  });
}
