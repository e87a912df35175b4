; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
; What the host passes on its stack, the caller copies; results come through plain pointers.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%big = type { [20 x i32] }

; CHECK-LABEL: define internal void @callee(ptr noalias %result, ptr noundef align 8 %argument)
define internal void @callee(ptr noalias sret(%big) %result, ptr noundef byval(%big) align 8 %argument) noinline {
  %old = load i32, ptr %argument
  %new = add i32 %old, 1
  store i32 %new, ptr %argument
  call void @llvm.memcpy.p0.p0.i64(ptr %result, ptr %argument, i64 80, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @body
; CHECK: %[[COPY:.*]] = alloca %big, align 8, addrspace(5)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %[[GENERIC:.*]], ptr align 8 %{{.*}}, i64 80, i1 false)
; CHECK: call void @callee(ptr %{{.*}}, ptr align 8 %[[GENERIC]])
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %object = alloca %big, align 8
  %result = alloca %big, align 8
  call void @callee(ptr sret(%big) %result, ptr byval(%big) align 8 %object)
  %v = load i32, ptr %result
  %p = load ptr, ptr %functor
  store i32 %v, ptr %p
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
