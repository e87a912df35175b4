// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s > %t.ll
// RUN: not %ptx<sm_75> < %t.ll 2>&1 | FileCheck %s
// RUN: not %ptx<sm_61> < %t.ll 2>&1 | FileCheck --check-prefix=OLD %s
// RUN: not %ptx<gfx90a> < %t.ll 2>&1 | FileCheck --check-prefix=OTHER %s
// CHECK: error: kernel '{{.*}}body{{.*}}': calls 'elsewhere(int)', which code for CUDA devices does not have at {{.*}}errors.cpp:16:69
// OLD: error: 'sm_61' is no architecture of CUDA devices that Pianola compiles for: write sm_70 or later
// OTHER: error: 'gfx90a' is no architecture
#include "kernel.hpp"

struct data {
  int* at;
};
int elsewhere(int);

KERNEL(1, 1) body(const data& k, const pianola_launch&) { k.at[0] = elsewhere(k.at[1]); }
