// SPDX-License-Identifier: Apache-2.0
// RUN: %unit -ffast-math %s | %ptx<sm_75> -pianola-fast-math | FileCheck %s
// RUN: %unit %s | %ptx<sm_75> | FileCheck --check-prefix=EXACT %s
// Fast math takes the machine's approximations.
#include <cmath>

#include "kernel.hpp"

struct floats {
  float* at;
};

// CHECK-LABEL: .visible .entry
// CHECK: sin.approx.ftz.f32
// EXACT-NOT: sin.approx
KERNEL(1, 1) sine(const floats& k, const pianola_launch&) { k.at[0] = std::sin(k.at[1]); }
// CHECK-LABEL: .visible .entry
// CHECK: ex2.approx.ftz.f32
KERNEL(1, 1) exponential(const floats& k, const pianola_launch&) { k.at[0] = std::exp(k.at[1]); }
// CHECK-LABEL: .visible .entry
// CHECK: lg2.approx.ftz.f32
KERNEL(1, 1) logarithm(const floats& k, const pianola_launch&) { k.at[0] = std::log(k.at[1]); }
