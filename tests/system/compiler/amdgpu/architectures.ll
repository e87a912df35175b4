; SPDX-License-Identifier: Apache-2.0
; RUN: rm -rf %t && %image<gfx90a:xnack-> %s -pianola-save-temps=%t
; RUN: llvm-readelf --notes %t/architectures-gfx90a-xnack-.hsaco | FileCheck %s --check-prefix=FEATURE
; RUN: not %image<gfx1> %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; RUN: not %image<gfx1030:xnack+> %s 2>&1 | FileCheck %s --check-prefix=LACKS
; RUN: not %image<gfx90a:xnack> %s 2>&1 | FileCheck %s --check-prefix=SIGN
; RUN: not %image<gfx90a> %s -pianola-rocm-path=%t/nowhere 2>&1 | FileCheck %s --check-prefix=MISSING
; FEATURE: amdhsa.target: 'amdgcn-amd-amdhsa--gfx90a:xnack-'
; UNKNOWN: error: unknown AMDGPU architecture 'gfx1': the ROCm device libraries in {{.*}} have gfx900, {{.*}}gfx906, {{.*}}gfx90a, {{.*}}gfx1030
; LACKS: error: AMDGPU architecture 'gfx1030:xnack+': gfx1030 has no feature 'xnack' to switch
; SIGN: error: AMDGPU architecture 'gfx90a:xnack': 'xnack' must end in + (on) or - (off)
; MISSING: error: targets hip:... need the ROCm device libraries, and there is no ocml.bc in {{.*}}nowhere{{.*}}: install the package rocm-device-libs, or say where they are with --pianola-rocm-path=FOLDER
source_filename = "architectures.cpp"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
  %p = load ptr, ptr %functor
  store i32 1, ptr %p
  ret void
}

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
