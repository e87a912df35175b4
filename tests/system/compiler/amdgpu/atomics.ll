; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
; Scopes get the target's names; what it does not know is the system's.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
; CHECK-LABEL: define internal void @body
  %p = load ptr, ptr %functor
; CHECK: atomicrmw add ptr %p, i32 1 syncscope("agent") monotonic
  %1 = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
; CHECK: cmpxchg ptr %p, i32 1, i32 2 syncscope("workgroup") acq_rel acquire
  %2 = cmpxchg ptr %p, i32 1, i32 2 syncscope("block") acq_rel acquire
; CHECK: load atomic i32, ptr %p syncscope("wavefront") acquire
  %3 = load atomic i32, ptr %p syncscope("subgroup") acquire, align 4
; CHECK: store atomic i32 %3, ptr %p seq_cst
  store atomic i32 %3, ptr %p seq_cst, align 4
; CHECK: store atomic i32 %3, ptr %p release
  store atomic i32 %3, ptr %p syncscope("cluster") release, align 4
; CHECK: fence syncscope("agent-one-as") acquire
  fence syncscope("device-one-as") acquire
  ret void
}

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
