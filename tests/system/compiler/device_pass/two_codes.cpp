// SPDX-License-Identifier: Apache-2.0
// Host and kernels have functions of their own by one name, and variables in common.
// RUN: %{clang} -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -O0 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: %{clang} -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FOR-HOST
#include "kernel.hpp"

asm("# once");
static int counter = 0;
int shared_with_others = 0;
#ifdef __SYCL_DEVICE_ONLY__
static const int steps[] = {20, 21};
#else
static const int steps[] = {10, 11};
#endif
struct at_start {
  at_start() { ++shared_with_others; }
} const object;

__attribute__((noinline)) int step(int i) {
  counter += steps[i];
#ifdef __SYCL_DEVICE_ONLY__
  shared_with_others = 222;
#else
  shared_with_others = 111;
#endif
  return counter;
}

struct in_kernel {
  int i;
  void operator()() const { step(i); }
};

int host(int i) {
  launch(in_kernel{i});
  return step(i);
}

// CHECK: asm "# once"
// CHECK-NOT: asm "# once"
// CHECK-DAG: @_ZL7counter = internal global i32 0
// CHECK-DAG: @shared_with_others = {{(dso_local )?}}global i32 0
// CHECK-DAG: @_ZL5steps = internal {{.*}}[i32 10, i32 11]
// CHECK-DAG: @_ZL5steps.device = internal {{.*}}[i32 20, i32 21]
// The constructors of the unit, once, and the registration of kernels.
// CHECK: @llvm.global_ctors = appending global [2 x
// CHECK-NOT: @_ZL7counter.
// CHECK-LABEL: define {{.*}}@_Z4stepi(
// CHECK: @_ZL5steps,
// CHECK: store i32 111, ptr @shared_with_others
// CHECK-LABEL: define {{.*}}@_Z12kernel_entryI9in_kernelEvRKT_(
// CHECK: call {{.*}}@_ZNK9in_kernelclEv.device(
// CHECK-LABEL: define internal {{.*}}@_ZNK9in_kernelclEv.device(
// CHECK: call {{.*}}@_Z4stepi.device(
// CHECK-LABEL: define internal {{.*}}@_Z4stepi.device(
// CHECK: @_ZL5steps.device
// CHECK: store i32 222, ptr @shared_with_others

// FOR-HOST-LABEL: define {{.*}}@_Z4hosti(
// FOR-HOST: call {{.*}}@_Z4stepi(
