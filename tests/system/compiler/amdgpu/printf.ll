; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
; RUN: %optimise<gfx90a> %s | FileCheck %s --check-prefix=LINKED
; printf is HIP's: a packet per call, through the device libraries.
; LINKED-NOT: declare {{.*}}@__ockl_
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@format = private constant [6 x i8] c"%s %d\00"
@word = private constant [2 x i8] c"x\00"
; CHECK-LABEL: define internal void @body
; CHECK: call i64 @__ockl_printf_begin(i64 0)
; CHECK: call i64 @__ockl_printf_append_string_n(
; CHECK: call i64 @__ockl_printf_append_string_n(
; CHECK: call i64 @__ockl_printf_append_args(
; CHECK-NOT: @printf
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %p = load ptr, ptr %functor
  %i = load i32, ptr %p
  %n = call i32 (ptr, ...) @printf(ptr @format, ptr @word, i32 %i)
  ret void
}
declare i32 @printf(ptr, ...)

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
