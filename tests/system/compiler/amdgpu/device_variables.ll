; SPDX-License-Identifier: Apache-2.0
; RUN: rm -rf %t && %image<gfx90a> %s -pianola-save-temps=%t
; RUN: llvm-readelf --dyn-symbols %t/device_variables-gfx90a.hsaco | FileCheck %s --check-prefix=SYMBOL
; RUN: FileCheck %s < %t/device_variables-gfx90a.ll
; The pointer to a variable of devices is global memory that is seen from outside, and what it holds is read, not known.
source_filename = "device_variables.cpp"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@pianola_variable_seen = weak externally_initialized global ptr null, align 8 #0
; SYMBOL: 8 OBJECT GLOBAL PROTECTED {{.*}} pianola_variable_seen
; CHECK: @pianola_variable_seen = protected {{.*}}addrspace(1) externally_initialized global ptr null
; CHECK: define {{.*}}amdgpu_kernel
; CHECK: [[AT:%.*]] = load ptr, ptr addrspace(1) @pianola_variable_seen
; CHECK: [[ELEMENT:%.*]] = getelementptr {{.*}}ptr {{.*}}, i64 8
; CHECK: store i32 7, ptr {{.*}}[[ELEMENT]]
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %seen = load ptr, ptr @pianola_variable_seen
  %p = getelementptr i32, ptr %seen, i64 2
  store i32 7, ptr %p
  ret void
}

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"

attributes #0 = { "pianola-device-pointer" }
