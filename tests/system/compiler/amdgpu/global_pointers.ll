; SPDX-License-Identifier: Apache-2.0
; RUN: %optimise<gfx90a> %s | FileCheck %s
; Pointers that arrive in the function object are global ones, whether loaded as pointers or as integers;
; the object itself is constant memory.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
; CHECK-LABEL: define {{.*}}amdgpu_kernel
; CHECK: load ptr, ptr addrspace(4) %function_object
; CHECK: load i32, ptr addrspace(1)
; CHECK: store i32 %{{.*}}, ptr addrspace(1)
; CHECK: ret void
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %from = load ptr, ptr %functor
  %at = getelementptr inbounds i8, ptr %functor, i64 8
  %number = load i64, ptr %at
  %to = inttoptr i64 %number to ptr
  %v = load i32, ptr %from
  store i32 %v, ptr %to
  ret void
}

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
