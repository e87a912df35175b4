; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
; Constants go to constant memory and variables to global memory, also where others point to them.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-DAG: @table = internal {{.*}}addrspace(4) constant [2 x i32] [i32 3, i32 4], align 8
; CHECK-DAG: @pointers = internal {{.*}}addrspace(4) constant [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @table to ptr)]
; CHECK-DAG: @counter = internal addrspace(1) global i32 5
; CHECK-NOT: @unused
@table = private unnamed_addr constant [2 x i32] [i32 3, i32 4], align 8
@pointers = internal constant [1 x ptr] [ptr @table]
@counter = internal global i32 5
@unused = internal constant i32 1

; CHECK-LABEL: define internal void @body
; CHECK: load ptr, ptr addrspacecast (ptr addrspace(4) @pointers to ptr)
; CHECK: store i32 %{{.*}}, ptr addrspacecast (ptr addrspace(1) @counter to ptr)
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %t = load ptr, ptr @pointers
  %v = load i32, ptr %t
  store i32 %v, ptr @counter
  ret void
}

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
