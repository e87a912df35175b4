// SPDX-License-Identifier: Apache-2.0
// How far atomic accesses and fences of every scope reach.
// RUN: rm -rf %t && mkdir %t && %unit %s > %t/scopes.ll
// RUN: %image<gfx906> -pianola-save-temps=%t %t/scopes.ll
// RUN: %image<gfx90a> -pianola-save-temps=%t %t/scopes.ll
// RUN: %image<gfx1030> -pianola-save-temps=%t %t/scopes.ll
// RUN: llvm-objdump -d --no-show-raw-insn %t/scopes-gfx906.hsaco > %t/gfx906.s
// RUN: llvm-objdump -d --no-show-raw-insn %t/scopes-gfx90a.hsaco > %t/gfx90a.s
// RUN: llvm-objdump -d --no-show-raw-insn %t/scopes-gfx1030.hsaco > %t/gfx1030.s
// RUN: FileCheck %s --check-prefixes=CHECK,GFX9 < %t/gfx906.s
// RUN: FileCheck %s --check-prefixes=CHECK,GFX9,GFX90A < %t/gfx90a.s
// RUN: FileCheck %s --check-prefixes=CHECK,GFX10 < %t/gfx1030.s
#include <sycl/kernel/atomic_fence.hpp>
#include <sycl/kernel/atomic_ref.hpp>

#include "kernels.hpp"

using sycl::memory_order;
using sycl::memory_scope;

template <memory_scope Scope>
using ref = sycl::atomic_ref<int, memory_order::acq_rel, Scope>;

// A group runs on one compute unit, with one cache; gfx1030's has two halves.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// GFX9-NOT: s_waitcnt vmcnt
// GFX9-NOT: buffer_
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: global_store_dword
// CHECK: s_endpgm
const void* publishes_in_the_group(int* p) {
  return nd_range([=](const pianola_launch&) {
    p[1 + global_x()] = 1;
    ref<memory_scope::work_group>(p[0]).store(1, memory_order::release);
  });
}
// What was written reaches the device's cache before the flag does.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// CHECK-NOT: buffer_wbl2
// GFX9: s_waitcnt vmcnt(0)
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: global_store_dword
// CHECK: s_endpgm
const void* publishes_on_the_device(int* p) {
  return nd_range([=](const pianola_launch&) {
    p[1 + global_x()] = 2;
    ref<memory_scope::device>(p[0]).store(2, memory_order::release);
  });
}
// And leaves it, where it keeps what others do not see: gfx90a.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// GFX90A: buffer_wbl2
// GFX9: s_waitcnt vmcnt(0)
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: global_store_dword
// CHECK: s_endpgm
const void* publishes_to_the_system(int* p) {
  return nd_range([=](const pianola_launch&) {
    p[1 + global_x()] = 3;
    ref<memory_scope::system>(p[0]).store(3, memory_order::release);
  });
}
// The compute unit's cache may be old news of other compute units, never of the group.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// GFX9-NOT: buffer_
// GFX10: s_waitcnt vmcnt(0)
// GFX10-NOT: buffer_gl1_inv
// GFX10: buffer_gl0_inv
// CHECK: s_endpgm
const void* reads_what_the_group_published(int* p) {
  return nd_range([=](const pianola_launch&) {
    if (ref<memory_scope::work_group>(p[0]).load(memory_order::acquire) == 4) p[1] = p[global_x()];
  });
}
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_load_dword {{.*}} glc
// CHECK: s_waitcnt vmcnt(0)
// GFX90A-NOT: buffer_invl2
// GFX9: buffer_wbinvl1_vol
// GFX10: buffer_gl1_inv
// GFX10: buffer_gl0_inv
// CHECK: global_load_dword
// CHECK: s_endpgm
const void* reads_what_the_device_published(int* p) {
  return nd_range([=](const pianola_launch&) {
    if (ref<memory_scope::device>(p[0]).load(memory_order::acquire) == 5) p[1] = p[global_x()];
  });
}
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_load_dword {{.*}} glc
// CHECK: s_waitcnt vmcnt(0)
// GFX90A: buffer_invl2
// GFX9: buffer_wbinvl1_vol
// GFX10: buffer_gl1_inv
// GFX10: buffer_gl0_inv
// CHECK: global_load_dword
// CHECK: s_endpgm
const void* reads_what_the_system_published(int* p) {
  return nd_range([=](const pianola_launch&) {
    if (ref<memory_scope::system>(p[0]).load(memory_order::acquire) == 6) p[1] = p[global_x()];
  });
}
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// CHECK-NOT: buffer_wbl2
// GFX9: s_waitcnt vmcnt(0)
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: global_store_dword
// CHECK: s_endpgm
const void* fences_the_device(int* p) {
  return nd_range([=](const pianola_launch&) {
    p[1 + global_x()] = 7;
    sycl::atomic_fence(memory_order::release, memory_scope::device);
    p[0] = 7;
  });
}
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// GFX90A: buffer_wbl2
// GFX9: s_waitcnt vmcnt(0)
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: global_store_dword
// CHECK: s_endpgm
const void* fences_the_system(int* p) {
  return nd_range([=](const pianola_launch&) {
    p[1 + global_x()] = 7;
    sycl::atomic_fence(memory_order::release, memory_scope::system);
    p[0] = 7;
  });
}
