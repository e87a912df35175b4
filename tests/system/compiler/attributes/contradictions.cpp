// SPDX-License-Identifier: Apache-2.0
// What a kernel's functions require must agree, and fit the kernel.
// RUN: not %{clang} -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

struct launch {
  unsigned long global[3], offset[3];
};
template <class Kernel, int Dimensions>
[[clang::annotate("pianola.kernel", 2, Dimensions)]] __attribute__((noinline)) void kernel_body(
    const Kernel& kernel, const launch&) {
  kernel();
}
extern "C" unsigned long __pianola_kernel_requirement(const void*, unsigned) __attribute__((const));
template <int Dimensions, class Kernel>
unsigned long start(const Kernel&) {
  constexpr auto body = &kernel_body<Kernel, Dimensions>;
  return __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 0);
}

[[sycl::reqd_sub_group_size(8)]] void helper() {}
[[sycl::reqd_work_group_size(4, 4)]] void sized() {}

unsigned long use() {
  // CHECK-DAG: error: kernel '{{.*}}$_0': requires sub-groups of 8 and of 16 work-items
  unsigned long sum = start<1>([]() [[sycl::reqd_sub_group_size(16)]] { helper(); });
  // CHECK-DAG: error: kernel '{{.*}}$_1': reqd_work_group_size has 2 numbers, the kernel's nd_range 1 dimensions
  sum += start<1>([]() [[sycl::reqd_work_group_size(4, 4)]] {});
  // CHECK-DAG: error: kernel '{{.*}}$_2': requires work-groups of 1x4x4 and of 1x8x2
  sum += start<2>([]() [[sycl::reqd_work_group_size(8, 2)]] { sized(); });
  // The same twice is no contradiction.
  sum += start<1>([]() [[sycl::reqd_sub_group_size(8)]] { helper(); });
  return sum;
}
