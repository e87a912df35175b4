; SPDX-License-Identifier: Apache-2.0
; RUN: %ptx<sm_75> < %s | FileCheck %s
; An access whose pointer is one of several has the widest of their scopes; built-ins that the headers do not
; wrap have the system's.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@name = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 1, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @name, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"

declare ptr @__pianola_in_scope(ptr, i32) memory(none) nounwind willreturn
declare void @__pianola_fence(i32, i32) nounwind

; CHECK-LABEL: .visible .entry
; CHECK: atom.relaxed.gpu.global.add.u32
; CHECK: atom.relaxed.sys.global.add.u32
; CHECK: atom.relaxed.cta.global.add.u32
; CHECK: atom.relaxed.sys.global.add.u32
; CHECK: ld.acquire.cta.global.u32
; CHECK: st.release.gpu.global.u32
; CHECK: atom.acquire.sys.global.cas.b32
; CHECK: fence.sc.sys;
; CHECK: fence.acq_rel.cta;
define void @body(ptr align 8 dereferenceable(24) %kernel, ptr align 8 dereferenceable(48) %launch) {
  %p = load ptr, ptr %kernel
  %q.at = getelementptr i8, ptr %kernel, i64 8
  %q = load ptr, ptr %q.at
  %c.at = getelementptr i8, ptr %kernel, i64 16
  %c = load i32, ptr %c.at
  %yes = icmp eq i32 %c, 0
  %group = call ptr @__pianola_in_scope(ptr %p, i32 2)
  %device = call ptr @__pianola_in_scope(ptr %q, i32 3)
  %either = select i1 %yes, ptr %group, ptr %device
  %1 = atomicrmw add ptr %either, i32 1 monotonic
  %with.plain = select i1 %yes, ptr %group, ptr %q
  %2 = atomicrmw add ptr %with.plain, i32 2 monotonic
  %inside = getelementptr i8, ptr %group, i64 4
  %3 = atomicrmw add ptr %inside, i32 3 monotonic
  %4 = atomicrmw add ptr %p, i32 4 monotonic
  %5 = load atomic i32, ptr %group acquire, align 4
  store atomic i32 %5, ptr %device release, align 4
  %unknown = call ptr @__pianola_in_scope(ptr %p, i32 %c)
  %6 = cmpxchg ptr %unknown, i32 1, i32 2 acquire acquire
  call void @__pianola_fence(i32 %c, i32 %c)
  call void @__pianola_fence(i32 2, i32 2)
  ret void
}
