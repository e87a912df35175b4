// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s > %t.ll
// RUN: %ptx<sm_75> < %t.ll 2> %t.err > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck --check-prefix=WARNING %s < %t.err
// A kernel that requires sub-groups of a size that the GPU does not have is left out; the others stay.
// WARNING: warning: kernel '{{.*}}eight{{.*}}' is left out of the code for CUDA devices: it requires sub-groups of 8 work-items, and theirs have 32
// WARNING-NOT: warning
#include "kernel.hpp"

struct data {
  int* at;
};

[[clang::annotate("pianola.reqd_sub_group_size", 8)]] void run_8(int* at) { at[0] = 1; }
[[clang::annotate("pianola.reqd_sub_group_size", 32)]] void run_32(int* at) { at[0] = 2; }

// CHECK: .visible .entry
// CHECK-NOT: .visible .entry
KERNEL(2, 1) eight(const data& k, const pianola_launch&) { run_8(k.at); }
KERNEL(2, 1) all(const data& k, const pianola_launch&) { run_32(k.at); }
