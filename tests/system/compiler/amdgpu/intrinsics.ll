; SPDX-License-Identifier: Apache-2.0
; RUN: %lower<gfx90a> %s | FileCheck %s --check-prefixes=CHECK,WAVE64
; RUN: %lower<gfx1030> %s | FileCheck %s --check-prefixes=CHECK,WAVE32
; RUN: sed 's/pianola_is_device/pianola_is_devise/' %s | not %lower<gfx90a> - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
; UNKNOWN: error: kernel 'body': '__pianola_is_devise' does not exist on AMDGPU

; CHECK-DAG: @pianola.local_memory = external addrspace(3) global [0 x i8], align 64
; CHECK-DAG: @pianola.group_scratch = internal addrspace(3) global [1024 x i8] poison, align 64
define void @body(ptr noundef nonnull align 8 dereferenceable(16) %functor, ptr noundef nonnull align 8 dereferenceable(48) %launch) {
; CHECK-LABEL: define internal void @body
; CHECK-NOT: __pianola
  %p = load ptr, ptr %functor
; CHECK: call i32 @llvm.amdgcn.workitem.id.y(), !range ![[ID:[0-9]+]]
  %local = call i32 @__pianola_local_id_y()
  store volatile i32 %local, ptr %p
; CHECK: %[[GROUP:.*]] = call i32 @llvm.amdgcn.workgroup.id.z()
; CHECK: zext i32 %[[GROUP]] to i64
  %group = call i64 @__pianola_group_id_z()
  store volatile i64 %group, ptr %p
; Sizes come from the dispatch packet: 16 bits at 4, 6 and 8.
; CHECK: %[[PACKET:.*]] = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
; CHECK: %[[AT:.*]] = getelementptr inbounds i8, ptr addrspace(4) %[[PACKET]], i64 8
; CHECK: load i16, ptr addrspace(4) %[[AT]], align 2, !range ![[SIZE:[0-9]+]], !invariant.load
  %size = call i32 @__pianola_local_size_z()
  store volatile i32 %size, ptr %p
; The grid's in work-items: 32 bits at 12, 16 and 20.
; CHECK: getelementptr inbounds i8, ptr addrspace(4) %{{.*}}, i64 12
; CHECK: %[[ITEMS:.*]] = load i32
; CHECK: getelementptr inbounds i8, ptr addrspace(4) %{{.*}}, i64 4
; CHECK: udiv i32 %[[ITEMS]], %
  %count = call i64 @__pianola_group_count_x()
  store volatile i64 %count, ptr %p
; CHECK: store volatile i32 1,
  %device = call i32 @__pianola_is_device()
  store volatile i32 %device, ptr %p
; WAVE64: store volatile i32 64,
; WAVE32: store volatile i32 32,
  %wave = call i32 @__pianola_sub_group_size()
  store volatile i32 %wave, ptr %p
; CHECK: store volatile ptr addrspacecast (ptr addrspace(3) @pianola.local_memory to ptr)
  %memory = call ptr @__pianola_local_memory()
  store volatile ptr %memory, ptr %p
; CHECK: store volatile ptr addrspacecast (ptr addrspace(3) @pianola.group_scratch to ptr)
  %scratch = call ptr @__pianola_group_scratch()
  store volatile ptr %scratch, ptr %p
  %lane = or i32 %local, 0
; CHECK: call i32 @llvm.amdgcn.ds.bpermute(i32 %{{.*}}, i32 %
  %shuffled = call i32 @__pianola_shuffle_32(i32 %size, i32 %lane)
  store volatile i32 %shuffled, ptr %p
; Both halves of 64 bits.
; CHECK: call i32 @llvm.amdgcn.ds.bpermute
; CHECK: call i32 @llvm.amdgcn.ds.bpermute
  %long = call i64 @__pianola_shuffle_64(i64 %count, i32 %lane)
  store volatile i64 %long, ptr %p
; CHECK: call i32 @llvm.amdgcn.readlane.i32(i32 %{{.*}}, i32 3)
  %first = call i32 @__pianola_shuffle_32(i32 %size, i32 3)
  store volatile i32 %first, ptr %p
; WAVE64: call i64 @llvm.amdgcn.ballot.i64(i1
; WAVE32: %[[MASK:.*]] = call i32 @llvm.amdgcn.ballot.i32(i1
; WAVE32: zext i32 %[[MASK]] to i64
  %mask = call i64 @__pianola_ballot(i32 %local)
  store volatile i64 %mask, ptr %p
; Kernels wait for those in front of them anyway.
  call void @__pianola_dependent_launch(i32 1)
; Never reached: no kernel gets a texture.
  %texel = call <4 x float> @__pianola_texture_float(i64 %mask, float 0.0, float 0.0)
  store volatile <4 x float> %texel, ptr %p
  ret void
}
; CHECK-DAG: ![[ID]] = !{i32 0, i32 1024}
; CHECK-DAG: ![[SIZE]] = !{i16 1, i16 1025}
declare i32 @__pianola_local_id_y() memory(none)
declare i64 @__pianola_group_id_z() memory(none)
declare i32 @__pianola_local_size_z() memory(none)
declare i64 @__pianola_group_count_x() memory(none)
declare i32 @__pianola_is_device() memory(none)
declare i32 @__pianola_sub_group_size() memory(none)
declare ptr @__pianola_local_memory() memory(none)
declare ptr @__pianola_group_scratch() memory(none)
declare i32 @__pianola_shuffle_32(i32, i32) convergent
declare i64 @__pianola_shuffle_64(i64, i32) convergent
declare i64 @__pianola_ballot(i32) convergent
declare void @__pianola_dependent_launch(i32)
declare <4 x float> @__pianola_texture_float(i64, float, float) memory(read)

@text = private constant [15 x i8] c"pianola.kernel\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@shape = private constant { i32, i32 } { i32 2, i32 1 }, section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @text, ptr @file, i32 1, ptr @shape }], section "llvm.metadata"
