// SPDX-License-Identifier: Apache-2.0
// RUN: %unit -ffast-math %s | %ptx<sm_75> -pianola-fast-math | FileCheck %s
// Approximate division and square root, numbers too small for normal ones are zero, contraction.
#include <cmath>

#include "kernel.hpp"

struct floats {
  float* at;
};

// CHECK-LABEL: .visible .entry
// CHECK: div.approx.ftz.f32
KERNEL(1, 1) quotient(const floats& k, const pianola_launch&) { k.at[0] = k.at[1] / k.at[2]; }
// CHECK-LABEL: .visible .entry
// CHECK: sqrt.approx.ftz.f32
KERNEL(1, 1) root(const floats& k, const pianola_launch&) { k.at[0] = std::sqrt(k.at[1]); }
// CHECK-LABEL: .visible .entry
// CHECK: fma.rn.ftz.f32
KERNEL(1, 1) contracted(const floats& k, const pianola_launch&) {
  const float product = k.at[1] * k.at[2];
  k.at[0] += product;
}
