// SPDX-License-Identifier: Apache-2.0
// Functions that are not decorated as the kernel that they are used as.
// RUN: not %{clang} -std=c++17 -fsyntax-only %s 2>&1 | FileCheck %s
#include <sycl/sycl.hpp>

namespace syclexp = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<2>))
void two(int* p) { *p = 1; }
void none(int* p) { *p = 1; }

void use(sycl::queue& q, int* p) {
  // CHECK-DAG: error: static assertion failed{{.*}}nd_launch: the function is not decorated with nd_range_kernel of the range's number of dimensions
  syclexp::nd_launch(q, sycl::nd_range<1>(8, 8), syclexp::kernel_function<two>, p);
  // CHECK-DAG: error: static assertion failed{{.*}}nd_launch: the function is not decorated
  syclexp::nd_launch(q, sycl::nd_range<1>(8, 8), syclexp::kernel_function<none>, p);
  // CHECK-DAG: error: static assertion failed{{.*}}single_task: the function is not decorated with single_task_kernel
  syclexp::single_task(q, syclexp::kernel_function<two>, p);
  // CHECK-DAG: error: no matching function for call to 'get_kernel_id'
  (void)syclexp::get_kernel_id<none>();
}
// CHECK-DAG: error: static assertion failed{{.*}}SYCL_EXT_ONEAPI_FUNCTION_PROPERTY takes a property in parentheses
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((3)) void number(int*);
