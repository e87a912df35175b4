// SPDX-License-Identifier: Apache-2.0
// Host and devices must have the same kernels, of the same function objects.
// RUN: not %{clang} -DKERNEL_OF_HOST -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISSING --implicit-check-not=error:
// RUN: not %{clang} -DMEMBER_OF_HOST -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SIZE --implicit-check-not=error:
// RUN: %{clang} -DKERNEL_OF_DEVICE -S -emit-llvm %s -o - | FileCheck %s --check-prefix=LEFT
#include "kernel.hpp"

int data;

struct small {
#if defined(MEMBER_OF_HOST) && !defined(__SYCL_DEVICE_ONLY__)
  int more[3] = {};
#endif
  int i = 1;
  void operator()() const { data = i; }
};
struct sometimes {
  void operator()() const { data = 77; }
};

void host() {
  launch(small());
#if defined(KERNEL_OF_HOST) && !defined(__SYCL_DEVICE_ONLY__)
  launch(sometimes());
#endif
#if defined(KERNEL_OF_DEVICE) && defined(__SYCL_DEVICE_ONLY__)
  launch(sometimes());
#endif
}

// MISSING: kernel.hpp:{{[0-9]+}}:{{[0-9]+}}: error: kernel 'void kernel_body<sometimes>(sometimes const&, pianola_launch const&)' is not there where __SYCL_DEVICE_ONLY__ is defined
// SIZE: kernel.hpp:{{[0-9]+}}:{{[0-9]+}}: error: kernel 'void kernel_body<small>(small const&, pianola_launch const&)' has a function object of 16 bytes, and of 4 where __SYCL_DEVICE_ONLY__ is defined
// LEFT: define {{.*}}kernel_entryI5small
// LEFT-NOT: sometimes
