// SPDX-License-Identifier: Apache-2.0
// The program asks what its kernels require and gets constants; nothing of the attributes stays behind.
// RUN: %{clang} -Werror -O1 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=pianola.reqd
// RUN: %{clang} -Werror -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PLAIN
#include <sycl/glue/kernel_body.hpp>
#include <sycl/glue/kernel_requirements.hpp>

struct kernel {
  int* p;
  [[sycl::reqd_sub_group_size(16), sycl::reqd_work_group_size(4, 2)]] void operator()(
      const sycl::nd_item<2>& it) const {
    p[it.get_global_linear_id()] = 1;
  }
};

constexpr auto body = &pianola::glue::kernel_body<kernel, 2, 2>;

// CHECK-LABEL: define{{.*}} i64 @sub_group(
// CHECK: ret i64 16
extern "C" unsigned long sub_group() {
  return __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 0);
}
// CHECK-LABEL: define{{.*}} i64 @work_group(
// CHECK: ret i64 10402
// PLAIN-LABEL: define{{.*}} i64 @work_group(
// PLAIN-NOT: call
// PLAIN: ret i64
extern "C" unsigned long work_group() {
  return 10000 * __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 1) +
         100 * __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 2) +
         __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 3);
}

// Sizes that no device has are told as they are, but for the 32 bits of sub-groups: 8 would be another size.
struct huge {
  [[sycl::reqd_sub_group_size(4294967304), sycl::reqd_work_group_size(3000000000U)]] void
  operator()(const sycl::nd_item<1>&) const {}
};
constexpr auto huge_body = &pianola::glue::kernel_body<huge, 2, 1>;
// CHECK-LABEL: define{{.*}} i64 @huge_sub_group(
// CHECK: ret i64 4294967295
extern "C" unsigned long huge_sub_group() {
  return __pianola_kernel_requirement(reinterpret_cast<const void*>(huge_body), 0);
}
// CHECK-LABEL: define{{.*}} i64 @huge_work_group(
// CHECK: ret i64 3000000000
extern "C" unsigned long huge_work_group() {
  return __pianola_kernel_requirement(reinterpret_cast<const void*>(huge_body), 3);
}
