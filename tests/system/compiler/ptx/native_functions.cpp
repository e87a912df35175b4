// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// Functions of sycl::native are one instruction each.
#include "kernel.hpp"

extern "C" {
float __pianola_native_sin(float x) __attribute__((const, nothrow));
float __pianola_native_cos(float x) __attribute__((const, nothrow));
float __pianola_native_exp2(float x) __attribute__((const, nothrow));
float __pianola_native_log2(float x) __attribute__((const, nothrow));
float __pianola_native_sqrt(float x) __attribute__((const, nothrow));
float __pianola_native_rsqrt(float x) __attribute__((const, nothrow));
float __pianola_native_recip(float x) __attribute__((const, nothrow));
}

struct floats {
  float* at;
};

// CHECK-LABEL: .visible .entry
// CHECK-DAG: sin.approx.f32
// CHECK-DAG: cos.approx.f32
// CHECK-DAG: ex2.approx.f32
// CHECK-DAG: lg2.approx.f32
// CHECK-DAG: sqrt.approx.f32
// CHECK-DAG: rsqrt.approx.f32
// CHECK-DAG: rcp.approx.ftz.f32
// CHECK-NOT: call
// CHECK: ret;
KERNEL(1, 1) of_float(const floats& k, const pianola_launch&) {
  float* a = k.at;
  a[0] = __pianola_native_sin(a[0]);
  a[1] = __pianola_native_cos(a[1]);
  a[2] = __pianola_native_exp2(a[2]);
  a[3] = __pianola_native_log2(a[3]);
  a[4] = __pianola_native_sqrt(a[4]);
  a[5] = __pianola_native_rsqrt(a[5]);
  a[6] = __pianola_native_recip(a[6]);
}
