; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
; RUN: %optimise<gfx90a> %s | FileCheck %s --check-prefix=OPT
; Stack objects live in private memory; their users see generic pointers, lifetimes the objects.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: target datalayout = "{{.*}}-A5-
; CHECK: target triple = "amdgcn-amd-amdhsa"
; CHECK-LABEL: define internal void @body
; CHECK: %array = alloca [99 x i32], align 16, addrspace(5)
; CHECK: %[[GENERIC:.*]] = addrspacecast ptr addrspace(5) %array to ptr
; CHECK: call void @llvm.lifetime.start.p5(i64 396, ptr addrspace(5) %array)
; CHECK: call void @llvm.memset.p0.i64(ptr {{.*}}%[[GENERIC]]
; CHECK: getelementptr inbounds [99 x i32], ptr %[[GENERIC]]
; CHECK: call void @llvm.lifetime.end.p5(i64 396, ptr addrspace(5) %array)
; CHECK-NOT: stacksave

; OPT-LABEL: define {{.*}}amdgpu_kernel
; OPT: alloca [99 x i32], align 16, addrspace(5)
; OPT: getelementptr inbounds [99 x i32], ptr addrspace(5)
; OPT-NOT: addrspacecast ptr addrspace(5)
; OPT: ret void
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %array = alloca [99 x i32], align 16
  %saved = call ptr @llvm.stacksave.p0()
  call void @llvm.lifetime.start.p0(i64 396, ptr %array)
  %p = load ptr, ptr %functor
  %i = load i64, ptr %p
  %j = urem i64 %i, 99
  call void @llvm.memset.p0.i64(ptr align 16 %array, i8 0, i64 396, i1 false)
  %element = getelementptr inbounds [99 x i32], ptr %array, i64 0, i64 %j
  store i32 7, ptr %element
  %k = lshr i64 %i, 4
  %m = urem i64 %k, 99
  %other = getelementptr inbounds [99 x i32], ptr %array, i64 0, i64 %m
  %v = load i32, ptr %other
  store i32 %v, ptr %p
  call void @llvm.lifetime.end.p0(i64 396, ptr %array)
  call void @llvm.stackrestore.p0(ptr %saved)
  ret void
}
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
