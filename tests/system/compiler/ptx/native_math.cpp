// SPDX-License-Identifier: Apache-2.0
// RUN: %unit -fno-math-errno %s | %ptx<sm_75> | FileCheck %s
// RUN: %unit -fmath-errno %s | %ptx<sm_75> | FileCheck %s
// Functions that the machine has instructions for need no library; rounding is IEEE's.
#include <cmath>

#include "kernel.hpp"

struct floats {
  float* at;
};
struct doubles {
  double* at;
};

// CHECK-LABEL: .visible .entry
// CHECK-DAG: sqrt.rn.f32
// CHECK-DAG: abs.f32
// CHECK-DAG: cvt.rmi.f32.f32
// CHECK-DAG: cvt.rpi.f32.f32
// CHECK-DAG: cvt.rzi.f32.f32
// CHECK-DAG: cvt.rni.f32.f32
// CHECK-DAG: min.f32
// CHECK-DAG: max.f32
// CHECK-DAG: fma.rn.f32
// CHECK-DAG: div.rn.f32
// CHECK-NOT: call
// CHECK: ret;
KERNEL(1, 1) of_float(const floats& k, const pianola_launch&) {
  float* a = k.at;
  a[0] = std::sqrt(a[0]);
  a[1] = std::fabs(a[1]);
  a[2] = std::floor(a[2]);
  a[3] = std::ceil(a[3]);
  a[4] = std::trunc(a[4]);
  a[5] = std::rint(a[5]);
  a[6] = std::fmin(a[6], a[0]);
  a[7] = std::fmax(a[7], a[0]);
  a[8] = std::fma(a[8], a[0], a[1]);
  a[9] = std::copysign(a[9], a[0]);
  a[10] = std::round(a[10]);
  a[11] = std::pow(a[11], 2.0F);
  a[12] = a[12] / a[0];
}

// CHECK-LABEL: .visible .entry
// CHECK-DAG: sqrt.rn.f64
// CHECK-DAG: abs.f64
// CHECK-DAG: cvt.rmi.f64.f64
// CHECK-DAG: min.f64
// CHECK-DAG: fma.rn.f64
// CHECK-DAG: div.rn.f64
// CHECK-NOT: call
// CHECK: ret;
KERNEL(1, 1) of_double(const doubles& k, const pianola_launch&) {
  double* a = k.at;
  a[0] = std::sqrt(a[0]);
  a[1] = std::fabs(a[1]);
  a[2] = std::floor(a[2]);
  a[3] = std::fmin(a[3], a[0]);
  a[4] = std::fma(a[4], a[0], a[1]);
  a[5] = a[5] / a[0];
}

// One expression may be contracted, two may not.
// CHECK-LABEL: .visible .entry
// CHECK: fma.rn.f32
KERNEL(1, 1) contracted(const floats& k, const pianola_launch&) { k.at[0] += k.at[1] * k.at[2]; }
// CHECK-LABEL: .visible .entry
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
KERNEL(1, 1) separate(const floats& k, const pianola_launch&) {
  const float product = k.at[1] * k.at[2];
  k.at[0] += product;
}
