; SPDX-License-Identifier: Apache-2.0
; RUN: %ptx<sm_75> < %s | FileCheck %s
; Scopes of LLVM's in PTX's words.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@name = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 1, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @name, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"

; CHECK-LABEL: .visible .entry
; CHECK: atom.relaxed.gpu.global.add.u32
; CHECK: atom.relaxed.cta.global.add.u32
; CHECK: atom.relaxed.cta.global.add.u32
; CHECK: atom.relaxed.sys.global.add.u32
; CHECK: ld.acquire.gpu.global.u64
; CHECK: st.release.cta.global.u64
; CHECK: fence.acq_rel.gpu;
; CHECK: fence.sc.cta;
; CHECK-NOT: fence
; CHECK: atom.release.gpu.global.add.f32
; CHECK: atom.relaxed.gpu.global.inc.u32
; CHECK: ld.relaxed.gpu.global.u64
; CHECK: max.f64
; CHECK: atom.acq_rel.gpu.global.cas.b64
define void @body(ptr align 8 dereferenceable(8) %kernel, ptr align 8 dereferenceable(48) %launch) {
  %p = load ptr, ptr %kernel
  %1 = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
  %2 = atomicrmw add ptr %p, i32 1 syncscope("workgroup") monotonic
  %3 = atomicrmw add ptr %p, i32 1 syncscope("wavefront") monotonic
  %4 = atomicrmw add ptr %p, i32 1 monotonic
  %5 = load atomic i64, ptr %p syncscope("device") acquire, align 8
  store atomic i64 %5, ptr %p syncscope("workgroup") release, align 8
  fence syncscope("device") acquire
  fence syncscope("workgroup") seq_cst
  fence syncscope("singlethread") seq_cst
  %6 = atomicrmw fsub ptr %p, float 1.0 syncscope("device") release
  %7 = atomicrmw uinc_wrap ptr %p, i32 9 syncscope("device") monotonic
  %8 = atomicrmw fmax ptr %p, double 1.0 syncscope("device") acq_rel
  ret void
}
