; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s
; RUN: sed 's/dereferenceable(16)/dereferenceable(4000)/' %s | not %lower<gfx90a> - 2>&1 | FileCheck %s --check-prefix=LARGE
; Kernels take the function object and the launch by value, in constant memory, and nothing else.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; LARGE: error: kernel 'body': the function object has 4000 bytes and AMDGPU kernels take 3992; capture a pointer or an accessor to the data instead of the data

; CHECK: define internal void @body({{.*}}) #[[BODY:[0-9]+]]
; CHECK: define protected amdgpu_kernel void @pianola_kernel_{{[0-9a-f]+}}(
; CHECK-SAME: ptr addrspace(4) noalias noundef readonly byref([16 x i8]) align 8 dereferenceable(16) %function_object,
; CHECK-SAME: ptr addrspace(4) noalias noundef readonly byref([6 x i64]) align 8 dereferenceable(48) %launch) #[[KERNEL:[0-9]+]]
; CHECK: %[[FUNCTOR:.*]] = addrspacecast ptr addrspace(4) %function_object to ptr
; CHECK: %[[LAUNCH:.*]] = addrspacecast ptr addrspace(4) %launch to ptr
; CHECK: call void @body(ptr %[[FUNCTOR]], ptr %[[LAUNCH]])
; CHECK: attributes #[[BODY]] = { alwaysinline "pianola-kernel-name"="body" }
; CHECK: attributes #[[KERNEL]] = { {{.*}}"amdgpu-flat-work-group-size"="1,1024" {{.*}}"uniform-work-group-size"="true"
; CHECK: !{i32 1, !"amdhsa_code_object_version", i32 400}
; CHECK-NOT: PIC Level
define dso_local void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) noinline optnone uwtable "target-cpu"="x86-64" "frame-pointer"="all" "target-features"="+sse2" {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 8, !"PIC Level", i32 2}

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
