// SPDX-License-Identifier: Apache-2.0
// What HIP reads of a code object before it launches a kernel.
// RUN: rm -rf %t && mkdir %t && %unit %s > %t/code_object.ll
// RUN: %image<gfx906> -pianola-save-temps=%t %t/code_object.ll
// RUN: %image<gfx90a> -pianola-save-temps=%t %t/code_object.ll
// RUN: %image<gfx1030> -pianola-save-temps=%t %t/code_object.ll
// RUN: llvm-readelf -h --dyn-symbols --notes %t/code_object-gfx906.hsaco | FileCheck %s --check-prefixes=CHECK,WAVE64 -DNAME=gfx906
// RUN: llvm-readelf -h --dyn-symbols --notes %t/code_object-gfx90a.hsaco | FileCheck %s --check-prefixes=CHECK,WAVE64 -DNAME=gfx90a
// RUN: llvm-readelf -h --dyn-symbols --notes %t/code_object-gfx1030.hsaco | FileCheck %s --check-prefixes=CHECK,WAVE32 -DNAME=gfx1030
#include "kernels.hpp"

extern "C" int printf(const char*, ...);

struct large {
  alignas(16) double numbers[6];
  int* out;
};

const void* prints(int* p) {
  return nd_range([=](const pianola_launch&) { printf("%d\n", p[global_x()]); });
}

const void* takes_a_large_object(large l) {
  return nd_range<3>([=](const pianola_launch& launch) {
    const std::uint64_t at =
        (global_z() * launch.global[1] + global_y()) * launch.global[2] + global_x();
    static_cast<int*>(__pianola_local_memory())[__pianola_local_id_x()] = 1;
    static_cast<int*>(__pianola_group_scratch())[__pianola_local_id_x()] = 2;
    __pianola_group_barrier(2);
    l.out[at] = static_cast<int*>(__pianola_local_memory())[at & 7] +
                static_cast<int*>(__pianola_group_scratch())[at & 15] +
                static_cast<int>(l.numbers[at % 6]);
  });
}

// CHECK: Class: {{ *}}ELF64
// CHECK: OS/ABI: {{ *}}AMDGPU - HSA
// Code object version 4.
// CHECK: ABI Version: {{ *}}2
// CHECK: Type: {{ *}}DYN
// CHECK: Machine: {{ *}}EM_AMDGPU
// CHECK: Flags: {{.*}}[[NAME]]

// Nothing is undefined but the empty first symbol; every kernel has its descriptor.
// CHECK: Symbol table '.dynsym'
// CHECK: NOTYPE LOCAL DEFAULT UND{{ *$}}
// CHECK-NOT: UND
// CHECK-DAG: 64 OBJECT GLOBAL PROTECTED {{.*}} [[PRINTS:pianola_kernel_[0-9a-f]+]].kd
// CHECK-DAG: FUNC GLOBAL PROTECTED {{.*}} [[PRINTS]]{{$}}

// The one that prints needs HIP's hidden arguments.
// CHECK: amdhsa.kernels:
// CHECK: .args:
// CHECK: .offset: 0
// CHECK-NEXT: .size: 8
// CHECK-NEXT: .value_kind: by_value
// CHECK: .offset: 8
// CHECK-NEXT: .size: 48
// CHECK-NEXT: .value_kind: by_value
// CHECK: .offset: 56
// CHECK-NEXT: .size: 8
// CHECK-NEXT: .value_kind: hidden_global_offset_x
// CHECK: .offset: 80
// CHECK-NEXT: .size: 8
// CHECK-NEXT: .value_kind: hidden_hostcall_buffer
// CHECK: .kernarg_segment_size: 112
// CHECK: .max_flat_workgroup_size: 1024
// CHECK: .name: pianola_kernel_
// CHECK: .symbol: pianola_kernel_{{[0-9a-f]+}}.kd
// WAVE64: .wavefront_size: 64
// WAVE32: .wavefront_size: 32

// The other one has its two arguments and nothing else.
// CHECK: .args:
// CHECK: .offset: 0
// CHECK-NEXT: .size: 64
// CHECK-NEXT: .value_kind: by_value
// CHECK: .offset: 64
// CHECK-NEXT: .size: 48
// CHECK-NEXT: .value_kind: by_value
// CHECK-NEXT: .group_segment_fixed_size: 1024
// CHECK-NEXT: .kernarg_segment_align: 16
// CHECK-NEXT: .kernarg_segment_size: 112
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
// CHECK: amdhsa.target: amdgcn-amd-amdhsa--[[NAME]]
// CHECK: amdhsa.version:
// CHECK-NEXT: - 1
// CHECK-NEXT: - 1
