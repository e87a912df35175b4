; SPDX-License-Identifier: Apache-2.0
; RUN: sed 's/^;CALL //' %s | not %optimise<gfx90a> - 2>&1 | FileCheck %s --check-prefix=CALL
; RUN: sed 's/^;CHANGE //' %s | not %optimise<gfx90a> - 2>&1 | FileCheck %s --check-prefix=CHANGE
; RUN: sed 's/^;VARIABLE //' %s | not %optimise<gfx90a> - 2>&1 | FileCheck %s --check-prefix=VARIABLE
; RUN: sed 's/^;HOST //' %s | not %optimise<gfx90a> - 2>&1 | FileCheck %s --check-prefix=HOST
; What is left over when everything has been tried is an error, not a symbol for the loader to miss.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
; CALL: error: kernel 'body': 'missing(int)' does not exist on AMDGPU
; CHANGE: error: kernel 'body': the kernel changes its function object, which is constant
; VARIABLE: error: device code uses the variable 'elsewhere', which is defined elsewhere
; HOST: error: kernel 'body': 'llvm.x86.rdtsc' does not exist on AMDGPU
@elsewhere = external global i32
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %p = load ptr, ptr %functor
;CALL call void @_Z7missingi(i32 1)
;CHANGE %1 = atomicrmw add ptr %functor, i32 1 monotonic
;VARIABLE store i32 1, ptr @elsewhere
;HOST %2 = call i64 @llvm.x86.rdtsc()
;HOST store i64 %2, ptr %p
  ret void
}
declare void @_Z7missingi(i32)
declare i64 @llvm.x86.rdtsc()

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
