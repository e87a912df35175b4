// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// RUN: %unit -DBYTES=32760 %s > %t.ll
// RUN: not %ptx<sm_75> < %t.ll 2>&1 | FileCheck --check-prefix=REFUSED %s
// More than 4 KiB of parameters take PTX 8.1; more than a kernel can take is an error that names the kernel.
#include "kernel.hpp"

#ifndef BYTES
#define BYTES 8000
#endif

struct large {
  char* out;
  char values[BYTES];
};

// CHECK: .version 8.1
// CHECK: ld.param.u8
// CHECK-NOT: ld.local
// REFUSED: error: kernel '{{.*}}body{{.*}}': the function object takes 32768 bytes; CUDA devices accept 32716 at most; capture a pointer
KERNEL(1, 1) body(const large& k, const pianola_launch& launch) {
  k.out[global_x()] = k.values[launch.global[2]];
}
