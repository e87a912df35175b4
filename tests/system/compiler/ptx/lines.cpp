// SPDX-License-Identifier: Apache-2.0
// RUN: %unit -g %s | %ptx<sm_75> | FileCheck %s
// RUN: %unit %s | %ptx<sm_75> | FileCheck --check-prefix=NONE %s
// -g: lines for profilers, no variables; the code is optimised all the same.
#include "kernel.hpp"

struct data {
  int* at;
};

// CHECK: .target sm_75{{$}}
// CHECK: .visible .entry
// CHECK: .loc {{[0-9]+}} [[#@LINE+3]] {{[0-9]+}}
// CHECK-NOT: .section .debug_info
// NONE-NOT: .loc
KERNEL(1, 1) body(const data& k, const pianola_launch&) { k.at[0] = k.at[1] * 3; }
