// SPDX-License-Identifier: Apache-2.0
// What the macro that decorates kernel functions says becomes constants, of the function's own kernel only.
// RUN: %{clang} -Werror -std=c++17 -O1 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=pianola.function
#include <sycl/detail/kernels/function_kernels.hpp>
#include <sycl/ext/oneapi/kernel_properties.hpp>
#include <sycl/glue/kernel_body.hpp>
#include <sycl/glue/kernel_requirements.hpp>

namespace syclexp = sycl::ext::oneapi::experimental;

template <int Size>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::sub_group_size<16>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<2>))
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<Size, 2>))
        SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::device_has<sycl::aspect::fp16>)) void decorated(
            int* p) {
  *p = 1;
}

struct caller {
  int* p;
  void operator()(const sycl::nd_item<3>&) const { decorated<4>(p); }
};

template <class Kernel>
unsigned long requirements_of() {
  constexpr auto body = &pianola::glue::kernel_body<Kernel, 2, 3>;
  return __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 0) * 1000000 +
         __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 1) * 100000 +
         __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 2) * 10000 +
         __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 3) * 1000 +
         __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 4);
}

// CHECK-LABEL: define{{.*}} i64 @of_the_function(
// CHECK: ret i64 16142064
extern "C" unsigned long of_the_function() {
  return requirements_of<sycl::detail::function_kernel<&decorated<4>, int*>>();
}
// CHECK-LABEL: define{{.*}} i64 @of_a_caller(
// CHECK: ret i64 0
extern "C" unsigned long of_a_caller() { return requirements_of<caller>(); }
