; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
; CHECK-LABEL: define internal void @body
; CHECK-NOT: __pianola
; CHECK-DAG: call i1 @llvm.amdgcn.is.shared(ptr %p)
; CHECK-DAG: call i1 @llvm.amdgcn.is.private(ptr %p)
  %p = load ptr, ptr %functor
  %space = call i32 @__pianola_address_space(ptr %p)
  store volatile i32 %space, ptr %p
  ret void
}
declare i32 @__pianola_address_space(ptr) memory(none)
