; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
; RUN: sed 's/^;REFUSED //' %s | not %lower<gfx90a> - 2>&1 | FileCheck %s --check-prefix=REFUSED
; The device aligns 128-bit integers to 8 bytes, the host to 16: offsets stay the host's.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%wide = type { i32, i128 }
;REFUSED @constant = internal constant %wide { i32 1, i128 2 }

; CHECK-LABEL: define internal void @body
; CHECK: alloca [32 x i8], align 16, addrspace(5)
; CHECK: getelementptr inbounds i8, ptr %functor, i64 16
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 %
; REFUSED: error: constant 'constant': a structure with 128-bit integers inside is not supported on AMDGPU; use two 64-bit integers
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %own = alloca %wide, align 16
  %field = getelementptr inbounds %wide, ptr %functor, i64 0, i32 1
  %v = load i128, ptr %field, align 16
  %i = trunc i128 %v to i64
  %other = getelementptr inbounds [4 x %wide], ptr %own, i64 0, i64 %i, i32 1
  store i128 %v, ptr %other, align 16
;REFUSED %c = load i32, ptr @constant
;REFUSED store i32 %c, ptr %own
  ret void
}

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
