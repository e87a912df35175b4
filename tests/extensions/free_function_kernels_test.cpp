// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel))
void set(int* where, int value) { *where = value; }

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void add(double* where, double value) {
  sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device> sum(*where);
  sum += value;
}

TEST(free_function_kernels, are_launched_with_their_arguments) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const number = sycl::malloc_shared<int>(2, q);
  double* const sum = sycl::malloc_shared<double>(1, q);
  *sum = 0;
  exp::single_task(q, exp::kernel_function<set>, number, 3);
  exp::submit(q, [&](sycl::handler& h) {
    exp::single_task(h, exp::kernel_function<set>, number + 1, 4.9);
  });
  exp::nd_launch(q, sycl::nd_range<1>(64, 8), exp::kernel_function<add>, sum, 2);
  exp::nd_launch(q, exp::launch_config(sycl::nd_range<2>({4, 4}, {2, 2})),
                 exp::kernel_function<add>, sum, 1);
  exp::submit(q, [&](sycl::handler& h) {
    exp::nd_launch(h, sycl::nd_range<1>(8, 8), exp::kernel_function<add>, sum, 0.5);
  });
  q.wait();
  EXPECT_EQ(number[0], 3);
  EXPECT_EQ(number[1], 4) << "converted to the parameter's type";
  EXPECT_EQ(*sum, 64 * 2 + 16 + 4);
  sycl::free(number, q);
  sycl::free(sum, q);
}

}  // namespace
