; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-DAG: @pianola.group_object.0 = internal addrspace(3) global [400 x i8] poison, align 16
; CHECK-DAG: @pianola.group_object.7 = internal addrspace(3) global [4 x i8] poison, align 4
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
; CHECK-LABEL: define internal void @body
; CHECK-NOT: __pianola
; CHECK: store volatile ptr addrspacecast (ptr addrspace(3) @pianola.group_object.0 to ptr)
; CHECK: store volatile ptr addrspacecast (ptr addrspace(3) @pianola.group_object.7 to ptr)
; CHECK: store volatile ptr addrspacecast (ptr addrspace(3) @pianola.group_object.0 to ptr)
  %p = load ptr, ptr %functor
  %a = call ptr @__pianola_group_object(ptr null, ptr null, i64 0, i64 400, i64 16)
  store volatile ptr %a, ptr %p
  %b = call ptr @__pianola_group_object(ptr null, ptr null, i64 7, i64 4, i64 4)
  store volatile ptr %b, ptr %p
  %c = call ptr @__pianola_group_object(ptr null, ptr null, i64 0, i64 400, i64 16)
  store volatile ptr %c, ptr %p
  ret void
}
declare ptr @__pianola_group_object(ptr, ptr, i64, i64, i64) memory(none)
