// SPDX-License-Identifier: Apache-2.0
#include "../scale.hpp"

#include <sycl/sycl.hpp>

namespace {

struct scale {
  int* value;
  void operator()() const { *value *= 3; }
};

}  // namespace

int times_three(int x) {
  sycl::queue q;
  int* value = sycl::malloc_shared<int>(1, q);
  *value = x;
  q.single_task(scale{value}).wait();
  x = *value;
  sycl::free(value, q);
  return x;
}
