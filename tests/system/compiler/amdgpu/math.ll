; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s --check-prefixes=CHECK,PRECISE
; RUN: %lower<gfx90a> %s -pianola-fast-math | FileCheck %s --check-prefixes=CHECK,FAST
; RUN: %optimise<gfx90a> %s | FileCheck %s --check-prefix=LINKED
; Functions of the C library become instructions or the device libraries' functions.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
; LINKED-NOT: declare {{.*}}@__ocml_
; LINKED-NOT: declare {{.*}}@sin
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
; CHECK-LABEL: define internal void @body
  %p = load ptr, ptr %functor
  %f = load float, ptr %p
  %d = load double, ptr %p
; PRECISE: call float @__ocml_sin_f32(float %f)
; FAST: call float @__ocml_native_sin_f32(float %f)
  %1 = call float @sinf(float %f)
  store volatile float %1, ptr %p
; CHECK: call double @__ocml_sin_f64(double %d)
  %2 = call double @sin(double %d)
  store volatile double %2, ptr %p
; CHECK: call afn float @__ocml_native_exp_f32(float %f)
  %3 = call afn float @expf(float %f)
  store volatile float %3, ptr %p
; CHECK: call double @llvm.sqrt.f64(double %d)
  %4 = call double @sqrt(double %d)
  store volatile double %4, ptr %p
; erff is float's, erf double's.
; CHECK: call float @__ocml_erf_f32(float %f)
  %5 = call float @erff(float %f)
  store volatile float %5, ptr %p
; CHECK: call double @__ocml_erf_f64(double %d)
  %6 = call double @erf(double %d)
  store volatile double %6, ptr %p
; CHECK: %[[ROUNDED:.*]] = call float @llvm.round.f32(float %f)
; CHECK: fptosi float %[[ROUNDED]] to i64
  %7 = call i64 @lroundf(float %f)
  store volatile i64 %7, ptr %p
; Results through pointers go through a private object.
; CHECK: %[[MANTISSA:.*]] = call double @__ocml_frexp_f64(double %d, ptr addrspace(5) %[[EXPONENT:.*]])
; CHECK: %[[VALUE:.*]] = load i32, ptr addrspace(5) %[[EXPONENT]]
; CHECK: store i32 %[[VALUE]], ptr %p
  %8 = call double @frexp(double %d, ptr %p)
  store volatile double %8, ptr %p
; CHECK: %[[SINE:.*]] = call float @__ocml_sincos_f32(float %f, ptr addrspace(5) %{{.*}})
; CHECK: store float %[[SINE]], ptr %p
  call void @sincosf(float %f, ptr %p, ptr %p)
; CHECK: call i32 @__ocml_ilogb_f64(double %d)
  %9 = call i32 @ilogb(double %d)
  store volatile i32 %9, ptr %p
; Exponents keep within an int.
; CHECK: call i64 @llvm.smax.i64
; CHECK: call i64 @llvm.smin.i64
; CHECK: call double @__ocml_scalbn_f64(double %d, i32 %
  %10 = call double @scalbln(double %d, i64 99)
  store volatile double %10, ptr %p
; PRECISE: call float @__ocml_exp2_f32
; FAST: call float @__ocml_native_exp2_f32
  %11 = call float @llvm.exp2.f32(float %f)
  store volatile float %11, ptr %p
; CHECK: call double @__ocml_pown_f64(double %d, i32 3)
  %12 = call double @llvm.powi.f64.i32(double %d, i32 3)
  store volatile double %12, ptr %p
; Element by element.
; CHECK: extractelement <2 x double> %{{.*}}, i64 0
; CHECK: call double @__ocml_cos_f64
; CHECK: extractelement <2 x double> %{{.*}}, i64 1
; CHECK: call double @__ocml_cos_f64
  %v = load <2 x double>, ptr %p
  %13 = call <2 x double> @llvm.cos.v2f64(<2 x double> %v)
  store volatile <2 x double> %13, ptr %p
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %functor, i64 %
  %n = load i64, ptr %p
  %14 = call ptr @memcpy(ptr %p, ptr %functor, i64 %n)
; CHECK: store volatile float 0x7FF8000000000000
  %15 = call float @nanf(ptr %p)
  store volatile float %15, ptr %p
  ret void
}
declare float @sinf(float)
declare double @sin(double)
declare float @expf(float)
declare double @sqrt(double)
declare float @erff(float)
declare double @erf(double)
declare i64 @lroundf(float)
declare double @frexp(double, ptr)
declare void @sincosf(float, ptr, ptr)
declare i32 @ilogb(double)
declare double @scalbln(double, i64)
declare float @llvm.exp2.f32(float)
declare double @llvm.powi.f64.i32(double, i32)
declare <2 x double> @llvm.cos.v2f64(<2 x double>)
declare ptr @memcpy(ptr, ptr, i64)
declare float @nanf(ptr)

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
