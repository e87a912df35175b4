; SPDX-License-Identifier: Apache-2.0
; RUN: %ptx<sm_75> < %s > %t.ptx
; RUN: FileCheck %s < %t.ptx
; RUN: %ptxas -arch=sm_75 -o %t.cubin %t.ptx
; Intrinsics that no instruction computes, also of vectors and of half precision.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@name = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 1, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @name, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"

; CHECK-NOT: .extern
; CHECK: .visible .entry
define void @body(ptr align 8 dereferenceable(8) %kernel, ptr align 8 dereferenceable(48) %launch) {
  %p = load ptr, ptr %kernel
  %f = load volatile float, ptr %p
  %d = load volatile double, ptr %p
  %h = load volatile half, ptr %p
  %v = load volatile <3 x float>, ptr %p
  %i = load volatile i32, ptr %p
  %r1 = call float @llvm.sin.f32(float %f)
  store volatile float %r1, ptr %p
  %r2 = call float @llvm.cos.f32(float %f)
  store volatile float %r2, ptr %p
  %r3 = call float @llvm.tan.f32(float %f)
  store volatile float %r3, ptr %p
  %r4 = call float @llvm.asin.f32(float %f)
  store volatile float %r4, ptr %p
  %r5 = call float @llvm.acos.f32(float %f)
  store volatile float %r5, ptr %p
  %r6 = call float @llvm.atan.f32(float %f)
  store volatile float %r6, ptr %p
  %r7 = call float @llvm.sinh.f32(float %f)
  store volatile float %r7, ptr %p
  %r8 = call float @llvm.cosh.f32(float %f)
  store volatile float %r8, ptr %p
  %r9 = call float @llvm.tanh.f32(float %f)
  store volatile float %r9, ptr %p
  %r10 = call float @llvm.exp.f32(float %f)
  store volatile float %r10, ptr %p
  %r11 = call float @llvm.exp2.f32(float %f)
  store volatile float %r11, ptr %p
  %r12 = call float @llvm.exp10.f32(float %f)
  store volatile float %r12, ptr %p
  %r13 = call float @llvm.log.f32(float %f)
  store volatile float %r13, ptr %p
  %r14 = call float @llvm.log2.f32(float %f)
  store volatile float %r14, ptr %p
  %r15 = call float @llvm.log10.f32(float %f)
  store volatile float %r15, ptr %p
  %r16 = call float @llvm.sqrt.f32(float %f)
  store volatile float %r16, ptr %p
  %r17 = call float @llvm.fabs.f32(float %f)
  store volatile float %r17, ptr %p
  %r18 = call float @llvm.floor.f32(float %f)
  store volatile float %r18, ptr %p
  %r19 = call float @llvm.ceil.f32(float %f)
  store volatile float %r19, ptr %p
  %r20 = call float @llvm.trunc.f32(float %f)
  store volatile float %r20, ptr %p
  %r21 = call float @llvm.rint.f32(float %f)
  store volatile float %r21, ptr %p
  %r22 = call float @llvm.nearbyint.f32(float %f)
  store volatile float %r22, ptr %p
  %r23 = call float @llvm.round.f32(float %f)
  store volatile float %r23, ptr %p
  %r24 = call float @llvm.roundeven.f32(float %f)
  store volatile float %r24, ptr %p
  %r25 = call float @llvm.canonicalize.f32(float %f)
  store volatile float %r25, ptr %p
  %r26 = call float @llvm.pow.f32(float %f, float %f)
  store volatile float %r26, ptr %p
  %r27 = call float @llvm.minnum.f32(float %f, float %f)
  store volatile float %r27, ptr %p
  %r28 = call float @llvm.maxnum.f32(float %f, float %f)
  store volatile float %r28, ptr %p
  %r29 = call float @llvm.copysign.f32(float %f, float %f)
  store volatile float %r29, ptr %p
  %r30 = call float @llvm.minimum.f32(float %f, float %f)
  store volatile float %r30, ptr %p
  %r31 = call float @llvm.maximum.f32(float %f, float %f)
  store volatile float %r31, ptr %p
  %r32 = call float @llvm.fma.f32(float %f, float %f, float %f)
  store volatile float %r32, ptr %p
  %r33 = call float @llvm.fmuladd.f32(float %f, float %f, float %f)
  store volatile float %r33, ptr %p
  %r34 = call float @llvm.powi.f32.i32(float %f, i32 %i)
  store volatile float %r34, ptr %p
  %r35 = call { float, i32 } @llvm.frexp.f32.i32(float %f)
  %x35 = extractvalue { float, i32 } %r35, 0
  store volatile float %x35, ptr %p
  %y35 = extractvalue { float, i32 } %r35, 1
  store volatile i32 %y35, ptr %p
  %r36 = call i32 @llvm.lrint.i32.f32(float %f)
  store volatile i32 %r36, ptr %p
  %r37 = call i32 @llvm.lround.i32.f32(float %f)
  store volatile i32 %r37, ptr %p
  %r38 = call i64 @llvm.lrint.i64.f32(float %f)
  store volatile i64 %r38, ptr %p
  %r39 = call i64 @llvm.lround.i64.f32(float %f)
  store volatile i64 %r39, ptr %p
  %r40 = call float @llvm.ldexp.f32.i32(float %f, i32 %i)
  store volatile float %r40, ptr %p
  %r41 = call double @llvm.sin.f64(double %d)
  store volatile double %r41, ptr %p
  %r42 = call double @llvm.cos.f64(double %d)
  store volatile double %r42, ptr %p
  %r43 = call double @llvm.tan.f64(double %d)
  store volatile double %r43, ptr %p
  %r44 = call double @llvm.asin.f64(double %d)
  store volatile double %r44, ptr %p
  %r45 = call double @llvm.acos.f64(double %d)
  store volatile double %r45, ptr %p
  %r46 = call double @llvm.atan.f64(double %d)
  store volatile double %r46, ptr %p
  %r47 = call double @llvm.sinh.f64(double %d)
  store volatile double %r47, ptr %p
  %r48 = call double @llvm.cosh.f64(double %d)
  store volatile double %r48, ptr %p
  %r49 = call double @llvm.tanh.f64(double %d)
  store volatile double %r49, ptr %p
  %r50 = call double @llvm.exp.f64(double %d)
  store volatile double %r50, ptr %p
  %r51 = call double @llvm.exp2.f64(double %d)
  store volatile double %r51, ptr %p
  %r52 = call double @llvm.exp10.f64(double %d)
  store volatile double %r52, ptr %p
  %r53 = call double @llvm.log.f64(double %d)
  store volatile double %r53, ptr %p
  %r54 = call double @llvm.log2.f64(double %d)
  store volatile double %r54, ptr %p
  %r55 = call double @llvm.log10.f64(double %d)
  store volatile double %r55, ptr %p
  %r56 = call double @llvm.sqrt.f64(double %d)
  store volatile double %r56, ptr %p
  %r57 = call double @llvm.fabs.f64(double %d)
  store volatile double %r57, ptr %p
  %r58 = call double @llvm.floor.f64(double %d)
  store volatile double %r58, ptr %p
  %r59 = call double @llvm.ceil.f64(double %d)
  store volatile double %r59, ptr %p
  %r60 = call double @llvm.trunc.f64(double %d)
  store volatile double %r60, ptr %p
  %r61 = call double @llvm.rint.f64(double %d)
  store volatile double %r61, ptr %p
  %r62 = call double @llvm.nearbyint.f64(double %d)
  store volatile double %r62, ptr %p
  %r63 = call double @llvm.round.f64(double %d)
  store volatile double %r63, ptr %p
  %r64 = call double @llvm.roundeven.f64(double %d)
  store volatile double %r64, ptr %p
  %r65 = call double @llvm.canonicalize.f64(double %d)
  store volatile double %r65, ptr %p
  %r66 = call double @llvm.pow.f64(double %d, double %d)
  store volatile double %r66, ptr %p
  %r67 = call double @llvm.minnum.f64(double %d, double %d)
  store volatile double %r67, ptr %p
  %r68 = call double @llvm.maxnum.f64(double %d, double %d)
  store volatile double %r68, ptr %p
  %r69 = call double @llvm.copysign.f64(double %d, double %d)
  store volatile double %r69, ptr %p
  %r70 = call double @llvm.minimum.f64(double %d, double %d)
  store volatile double %r70, ptr %p
  %r71 = call double @llvm.maximum.f64(double %d, double %d)
  store volatile double %r71, ptr %p
  %r72 = call double @llvm.fma.f64(double %d, double %d, double %d)
  store volatile double %r72, ptr %p
  %r73 = call double @llvm.fmuladd.f64(double %d, double %d, double %d)
  store volatile double %r73, ptr %p
  %r74 = call double @llvm.powi.f64.i32(double %d, i32 %i)
  store volatile double %r74, ptr %p
  %r75 = call { double, i32 } @llvm.frexp.f64.i32(double %d)
  %x75 = extractvalue { double, i32 } %r75, 0
  store volatile double %x75, ptr %p
  %y75 = extractvalue { double, i32 } %r75, 1
  store volatile i32 %y75, ptr %p
  %r76 = call i32 @llvm.lrint.i32.f64(double %d)
  store volatile i32 %r76, ptr %p
  %r77 = call i32 @llvm.lround.i32.f64(double %d)
  store volatile i32 %r77, ptr %p
  %r78 = call i64 @llvm.lrint.i64.f64(double %d)
  store volatile i64 %r78, ptr %p
  %r79 = call i64 @llvm.lround.i64.f64(double %d)
  store volatile i64 %r79, ptr %p
  %r80 = call double @llvm.ldexp.f64.i32(double %d, i32 %i)
  store volatile double %r80, ptr %p
  %r81 = call half @llvm.sin.f16(half %h)
  store volatile half %r81, ptr %p
  %r82 = call half @llvm.cos.f16(half %h)
  store volatile half %r82, ptr %p
  %r83 = call half @llvm.tan.f16(half %h)
  store volatile half %r83, ptr %p
  %r84 = call half @llvm.asin.f16(half %h)
  store volatile half %r84, ptr %p
  %r85 = call half @llvm.acos.f16(half %h)
  store volatile half %r85, ptr %p
  %r86 = call half @llvm.atan.f16(half %h)
  store volatile half %r86, ptr %p
  %r87 = call half @llvm.sinh.f16(half %h)
  store volatile half %r87, ptr %p
  %r88 = call half @llvm.cosh.f16(half %h)
  store volatile half %r88, ptr %p
  %r89 = call half @llvm.tanh.f16(half %h)
  store volatile half %r89, ptr %p
  %r90 = call half @llvm.exp.f16(half %h)
  store volatile half %r90, ptr %p
  %r91 = call half @llvm.exp2.f16(half %h)
  store volatile half %r91, ptr %p
  %r92 = call half @llvm.exp10.f16(half %h)
  store volatile half %r92, ptr %p
  %r93 = call half @llvm.log.f16(half %h)
  store volatile half %r93, ptr %p
  %r94 = call half @llvm.log2.f16(half %h)
  store volatile half %r94, ptr %p
  %r95 = call half @llvm.log10.f16(half %h)
  store volatile half %r95, ptr %p
  %r96 = call half @llvm.sqrt.f16(half %h)
  store volatile half %r96, ptr %p
  %r97 = call half @llvm.fabs.f16(half %h)
  store volatile half %r97, ptr %p
  %r98 = call half @llvm.floor.f16(half %h)
  store volatile half %r98, ptr %p
  %r99 = call half @llvm.ceil.f16(half %h)
  store volatile half %r99, ptr %p
  %r100 = call half @llvm.trunc.f16(half %h)
  store volatile half %r100, ptr %p
  %r101 = call half @llvm.rint.f16(half %h)
  store volatile half %r101, ptr %p
  %r102 = call half @llvm.nearbyint.f16(half %h)
  store volatile half %r102, ptr %p
  %r103 = call half @llvm.round.f16(half %h)
  store volatile half %r103, ptr %p
  %r104 = call half @llvm.roundeven.f16(half %h)
  store volatile half %r104, ptr %p
  %r105 = call half @llvm.canonicalize.f16(half %h)
  store volatile half %r105, ptr %p
  %r106 = call half @llvm.pow.f16(half %h, half %h)
  store volatile half %r106, ptr %p
  %r107 = call half @llvm.minnum.f16(half %h, half %h)
  store volatile half %r107, ptr %p
  %r108 = call half @llvm.maxnum.f16(half %h, half %h)
  store volatile half %r108, ptr %p
  %r109 = call half @llvm.copysign.f16(half %h, half %h)
  store volatile half %r109, ptr %p
  %r110 = call half @llvm.minimum.f16(half %h, half %h)
  store volatile half %r110, ptr %p
  %r111 = call half @llvm.maximum.f16(half %h, half %h)
  store volatile half %r111, ptr %p
  %r112 = call half @llvm.fma.f16(half %h, half %h, half %h)
  store volatile half %r112, ptr %p
  %r113 = call half @llvm.fmuladd.f16(half %h, half %h, half %h)
  store volatile half %r113, ptr %p
  %r114 = call half @llvm.powi.f16.i32(half %h, i32 %i)
  store volatile half %r114, ptr %p
  %r115 = call { half, i32 } @llvm.frexp.f16.i32(half %h)
  %x115 = extractvalue { half, i32 } %r115, 0
  store volatile half %x115, ptr %p
  %y115 = extractvalue { half, i32 } %r115, 1
  store volatile i32 %y115, ptr %p
  %r116 = call i32 @llvm.lrint.i32.f16(half %h)
  store volatile i32 %r116, ptr %p
  %r117 = call i32 @llvm.lround.i32.f16(half %h)
  store volatile i32 %r117, ptr %p
  %r118 = call i64 @llvm.lrint.i64.f16(half %h)
  store volatile i64 %r118, ptr %p
  %r119 = call i64 @llvm.lround.i64.f16(half %h)
  store volatile i64 %r119, ptr %p
  %r120 = call half @llvm.ldexp.f16.i32(half %h, i32 %i)
  store volatile half %r120, ptr %p
  %r121 = call <3 x float> @llvm.sin.v3f32(<3 x float> %v)
  store volatile <3 x float> %r121, ptr %p
  %r122 = call <3 x float> @llvm.cos.v3f32(<3 x float> %v)
  store volatile <3 x float> %r122, ptr %p
  %r123 = call <3 x float> @llvm.tan.v3f32(<3 x float> %v)
  store volatile <3 x float> %r123, ptr %p
  %r124 = call <3 x float> @llvm.asin.v3f32(<3 x float> %v)
  store volatile <3 x float> %r124, ptr %p
  %r125 = call <3 x float> @llvm.acos.v3f32(<3 x float> %v)
  store volatile <3 x float> %r125, ptr %p
  %r126 = call <3 x float> @llvm.atan.v3f32(<3 x float> %v)
  store volatile <3 x float> %r126, ptr %p
  %r127 = call <3 x float> @llvm.sinh.v3f32(<3 x float> %v)
  store volatile <3 x float> %r127, ptr %p
  %r128 = call <3 x float> @llvm.cosh.v3f32(<3 x float> %v)
  store volatile <3 x float> %r128, ptr %p
  %r129 = call <3 x float> @llvm.tanh.v3f32(<3 x float> %v)
  store volatile <3 x float> %r129, ptr %p
  %r130 = call <3 x float> @llvm.exp.v3f32(<3 x float> %v)
  store volatile <3 x float> %r130, ptr %p
  %r131 = call <3 x float> @llvm.exp2.v3f32(<3 x float> %v)
  store volatile <3 x float> %r131, ptr %p
  %r132 = call <3 x float> @llvm.exp10.v3f32(<3 x float> %v)
  store volatile <3 x float> %r132, ptr %p
  %r133 = call <3 x float> @llvm.log.v3f32(<3 x float> %v)
  store volatile <3 x float> %r133, ptr %p
  %r134 = call <3 x float> @llvm.log2.v3f32(<3 x float> %v)
  store volatile <3 x float> %r134, ptr %p
  %r135 = call <3 x float> @llvm.log10.v3f32(<3 x float> %v)
  store volatile <3 x float> %r135, ptr %p
  %r136 = call <3 x float> @llvm.sqrt.v3f32(<3 x float> %v)
  store volatile <3 x float> %r136, ptr %p
  %r137 = call <3 x float> @llvm.fabs.v3f32(<3 x float> %v)
  store volatile <3 x float> %r137, ptr %p
  %r138 = call <3 x float> @llvm.floor.v3f32(<3 x float> %v)
  store volatile <3 x float> %r138, ptr %p
  %r139 = call <3 x float> @llvm.ceil.v3f32(<3 x float> %v)
  store volatile <3 x float> %r139, ptr %p
  %r140 = call <3 x float> @llvm.trunc.v3f32(<3 x float> %v)
  store volatile <3 x float> %r140, ptr %p
  %r141 = call <3 x float> @llvm.rint.v3f32(<3 x float> %v)
  store volatile <3 x float> %r141, ptr %p
  %r142 = call <3 x float> @llvm.nearbyint.v3f32(<3 x float> %v)
  store volatile <3 x float> %r142, ptr %p
  %r143 = call <3 x float> @llvm.round.v3f32(<3 x float> %v)
  store volatile <3 x float> %r143, ptr %p
  %r144 = call <3 x float> @llvm.roundeven.v3f32(<3 x float> %v)
  store volatile <3 x float> %r144, ptr %p
  %r145 = call <3 x float> @llvm.canonicalize.v3f32(<3 x float> %v)
  store volatile <3 x float> %r145, ptr %p
  %r146 = call <3 x float> @llvm.pow.v3f32(<3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r146, ptr %p
  %r147 = call <3 x float> @llvm.minnum.v3f32(<3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r147, ptr %p
  %r148 = call <3 x float> @llvm.maxnum.v3f32(<3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r148, ptr %p
  %r149 = call <3 x float> @llvm.copysign.v3f32(<3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r149, ptr %p
  %r150 = call <3 x float> @llvm.minimum.v3f32(<3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r150, ptr %p
  %r151 = call <3 x float> @llvm.maximum.v3f32(<3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r151, ptr %p
  %r152 = call <3 x float> @llvm.fma.v3f32(<3 x float> %v, <3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r152, ptr %p
  %r153 = call <3 x float> @llvm.fmuladd.v3f32(<3 x float> %v, <3 x float> %v, <3 x float> %v)
  store volatile <3 x float> %r153, ptr %p
  %r154 = call <3 x float> @llvm.powi.v3f32.i32(<3 x float> %v, i32 %i)
  store volatile <3 x float> %r154, ptr %p
  %r155 = call { <3 x float>, <3 x i32> } @llvm.frexp.v3f32.v3i32(<3 x float> %v)
  %x155 = extractvalue { <3 x float>, <3 x i32> } %r155, 0
  store volatile <3 x float> %x155, ptr %p
  %y155 = extractvalue { <3 x float>, <3 x i32> } %r155, 1
  store volatile <3 x i32> %y155, ptr %p
  ret void
}
; CHECK: ret;
; CHECK-NOT: .extern

declare <3 x float> @llvm.acos.v3f32(<3 x float>)
declare <3 x float> @llvm.asin.v3f32(<3 x float>)
declare <3 x float> @llvm.atan.v3f32(<3 x float>)
declare <3 x float> @llvm.canonicalize.v3f32(<3 x float>)
declare <3 x float> @llvm.ceil.v3f32(<3 x float>)
declare <3 x float> @llvm.copysign.v3f32(<3 x float>, <3 x float>)
declare <3 x float> @llvm.cos.v3f32(<3 x float>)
declare <3 x float> @llvm.cosh.v3f32(<3 x float>)
declare <3 x float> @llvm.exp.v3f32(<3 x float>)
declare <3 x float> @llvm.exp10.v3f32(<3 x float>)
declare <3 x float> @llvm.exp2.v3f32(<3 x float>)
declare <3 x float> @llvm.fabs.v3f32(<3 x float>)
declare <3 x float> @llvm.floor.v3f32(<3 x float>)
declare <3 x float> @llvm.fma.v3f32(<3 x float>, <3 x float>, <3 x float>)
declare <3 x float> @llvm.fmuladd.v3f32(<3 x float>, <3 x float>, <3 x float>)
declare <3 x float> @llvm.log.v3f32(<3 x float>)
declare <3 x float> @llvm.log10.v3f32(<3 x float>)
declare <3 x float> @llvm.log2.v3f32(<3 x float>)
declare <3 x float> @llvm.maximum.v3f32(<3 x float>, <3 x float>)
declare <3 x float> @llvm.maxnum.v3f32(<3 x float>, <3 x float>)
declare <3 x float> @llvm.minimum.v3f32(<3 x float>, <3 x float>)
declare <3 x float> @llvm.minnum.v3f32(<3 x float>, <3 x float>)
declare <3 x float> @llvm.nearbyint.v3f32(<3 x float>)
declare <3 x float> @llvm.pow.v3f32(<3 x float>, <3 x float>)
declare <3 x float> @llvm.powi.v3f32.i32(<3 x float>, i32)
declare <3 x float> @llvm.rint.v3f32(<3 x float>)
declare <3 x float> @llvm.round.v3f32(<3 x float>)
declare <3 x float> @llvm.roundeven.v3f32(<3 x float>)
declare <3 x float> @llvm.sin.v3f32(<3 x float>)
declare <3 x float> @llvm.sinh.v3f32(<3 x float>)
declare <3 x float> @llvm.sqrt.v3f32(<3 x float>)
declare <3 x float> @llvm.tan.v3f32(<3 x float>)
declare <3 x float> @llvm.tanh.v3f32(<3 x float>)
declare <3 x float> @llvm.trunc.v3f32(<3 x float>)
declare double @llvm.acos.f64(double)
declare double @llvm.asin.f64(double)
declare double @llvm.atan.f64(double)
declare double @llvm.canonicalize.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.cos.f64(double)
declare double @llvm.cosh.f64(double)
declare double @llvm.exp.f64(double)
declare double @llvm.exp10.f64(double)
declare double @llvm.exp2.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.ldexp.f64.i32(double, i32)
declare double @llvm.log.f64(double)
declare double @llvm.log10.f64(double)
declare double @llvm.log2.f64(double)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.nearbyint.f64(double)
declare double @llvm.pow.f64(double, double)
declare double @llvm.powi.f64.i32(double, i32)
declare double @llvm.rint.f64(double)
declare double @llvm.round.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.sin.f64(double)
declare double @llvm.sinh.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.tan.f64(double)
declare double @llvm.tanh.f64(double)
declare double @llvm.trunc.f64(double)
declare float @llvm.acos.f32(float)
declare float @llvm.asin.f32(float)
declare float @llvm.atan.f32(float)
declare float @llvm.canonicalize.f32(float)
declare float @llvm.ceil.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.cos.f32(float)
declare float @llvm.cosh.f32(float)
declare float @llvm.exp.f32(float)
declare float @llvm.exp10.f32(float)
declare float @llvm.exp2.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fmuladd.f32(float, float, float)
declare float @llvm.ldexp.f32.i32(float, i32)
declare float @llvm.log.f32(float)
declare float @llvm.log10.f32(float)
declare float @llvm.log2.f32(float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.nearbyint.f32(float)
declare float @llvm.pow.f32(float, float)
declare float @llvm.powi.f32.i32(float, i32)
declare float @llvm.rint.f32(float)
declare float @llvm.round.f32(float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.sin.f32(float)
declare float @llvm.sinh.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.tan.f32(float)
declare float @llvm.tanh.f32(float)
declare float @llvm.trunc.f32(float)
declare half @llvm.acos.f16(half)
declare half @llvm.asin.f16(half)
declare half @llvm.atan.f16(half)
declare half @llvm.canonicalize.f16(half)
declare half @llvm.ceil.f16(half)
declare half @llvm.copysign.f16(half, half)
declare half @llvm.cos.f16(half)
declare half @llvm.cosh.f16(half)
declare half @llvm.exp.f16(half)
declare half @llvm.exp10.f16(half)
declare half @llvm.exp2.f16(half)
declare half @llvm.fabs.f16(half)
declare half @llvm.floor.f16(half)
declare half @llvm.fma.f16(half, half, half)
declare half @llvm.fmuladd.f16(half, half, half)
declare half @llvm.ldexp.f16.i32(half, i32)
declare half @llvm.log.f16(half)
declare half @llvm.log10.f16(half)
declare half @llvm.log2.f16(half)
declare half @llvm.maximum.f16(half, half)
declare half @llvm.maxnum.f16(half, half)
declare half @llvm.minimum.f16(half, half)
declare half @llvm.minnum.f16(half, half)
declare half @llvm.nearbyint.f16(half)
declare half @llvm.pow.f16(half, half)
declare half @llvm.powi.f16.i32(half, i32)
declare half @llvm.rint.f16(half)
declare half @llvm.round.f16(half)
declare half @llvm.roundeven.f16(half)
declare half @llvm.sin.f16(half)
declare half @llvm.sinh.f16(half)
declare half @llvm.sqrt.f16(half)
declare half @llvm.tan.f16(half)
declare half @llvm.tanh.f16(half)
declare half @llvm.trunc.f16(half)
declare i32 @llvm.lrint.i32.f16(half)
declare i32 @llvm.lrint.i32.f32(float)
declare i32 @llvm.lrint.i32.f64(double)
declare i32 @llvm.lround.i32.f16(half)
declare i32 @llvm.lround.i32.f32(float)
declare i32 @llvm.lround.i32.f64(double)
declare i64 @llvm.lrint.i64.f16(half)
declare i64 @llvm.lrint.i64.f32(float)
declare i64 @llvm.lrint.i64.f64(double)
declare i64 @llvm.lround.i64.f16(half)
declare i64 @llvm.lround.i64.f32(float)
declare i64 @llvm.lround.i64.f64(double)
declare { <3 x float>, <3 x i32> } @llvm.frexp.v3f32.v3i32(<3 x float>)
declare { double, i32 } @llvm.frexp.f64.i32(double)
declare { float, i32 } @llvm.frexp.f32.i32(float)
declare { half, i32 } @llvm.frexp.f16.i32(half)
