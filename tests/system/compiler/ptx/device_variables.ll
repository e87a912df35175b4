; SPDX-License-Identifier: Apache-2.0
; RUN: %ptx<sm_75> < %s | FileCheck %s
; The pointer to a variable of devices is seen from outside, and what it holds is read, not known.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@name = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 1, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @name, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
@pianola_variable_seen = weak externally_initialized global ptr null, align 8 #0

; CHECK: .visible .global .align 8 .u64 pianola_variable_seen
; CHECK: .visible .entry
; CHECK: ld.global{{.*}}.u64 [[AT:%rd[0-9]+]], [pianola_variable_seen]
; CHECK: st.u32 {{\[}}[[AT]]+8], %r
define void @body(ptr align 8 dereferenceable(8) %kernel, ptr align 8 dereferenceable(48) %launch) {
  %seen = load ptr, ptr @pianola_variable_seen
  %p = getelementptr i32, ptr %seen, i64 2
  store i32 7, ptr %p
  ret void
}

attributes #0 = { "pianola-device-pointer" }
