// SPDX-License-Identifier: Apache-2.0
// The instructions of one kernel per mechanism.
// RUN: rm -rf %t && mkdir %t && %unit %s > %t/instructions.ll
// RUN: %image<gfx906> -pianola-save-temps=%t %t/instructions.ll
// RUN: %image<gfx90a> -pianola-save-temps=%t %t/instructions.ll
// RUN: %image<gfx1030> -pianola-save-temps=%t %t/instructions.ll
// RUN: llvm-objdump -d --no-show-raw-insn %t/instructions-gfx906.hsaco > %t/gfx906.s
// RUN: llvm-objdump -d --no-show-raw-insn %t/instructions-gfx90a.hsaco > %t/gfx90a.s
// RUN: llvm-objdump -d --no-show-raw-insn %t/instructions-gfx1030.hsaco > %t/gfx1030.s
// RUN: FileCheck %s --check-prefixes=CHECK,GFX9 < %t/gfx906.s
// RUN: FileCheck %s --check-prefixes=CHECK,GFX9,GFX90A < %t/gfx90a.s
// RUN: FileCheck %s --check-prefixes=CHECK,GFX10 < %t/gfx1030.s
#include "kernels.hpp"

// Memory is global memory, and the function object is read by scalar loads from the kernel's arguments.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK-NOT: flat_
// CHECK: s_load_dword{{.*}}
// CHECK: global_load_dword
// CHECK-NOT: flat_
// CHECK: global_store_dword
// CHECK: s_endpgm
const void* copies(const float* from, float* to) {
  return nd_range([=](const pianola_launch& l) {
    const std::uint64_t i = global_x();
    if (i < l.global[2]) to[i] = from[i];
  });
}

// Writes to local memory are done before the barrier; nothing is read ahead of it.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: ds_write_b32
// CHECK-NOT: ds_read
// CHECK: s_waitcnt{{.*}}lgkmcnt(0)
// CHECK: s_barrier
// CHECK: ds_read_b32
// CHECK: s_endpgm
const void* reverses_in_local_memory(int* p) {
  return nd_range([=](const pianola_launch&) {
    int* local = static_cast<int*>(__pianola_local_memory());
    const unsigned i = __pianola_local_id_x();
    local[i] = p[global_x()];
    __pianola_group_barrier(2);
    p[global_x()] = local[__pianola_local_size_x() - 1 - i];
  });
}

// Writes to global memory are on their way to the other work-groups before the barrier.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// GFX9: s_waitcnt vmcnt(0)
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: s_barrier
// GFX9: buffer_wbinvl1_vol
// GFX10: buffer_gl1_inv
// GFX10: buffer_gl0_inv
// CHECK: global_load_dword
// CHECK: s_endpgm
const void* fences_the_device(int* p) {
  return nd_range([=](const pianola_launch&) {
    p[global_x()] = 1;
    __pianola_group_barrier(3);
    p[global_x() + 1000] = p[global_x() ^ 1];
  });
}

// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: ds_bpermute_b32
// CHECK: v_cmp_{{.*}}
// CHECK: v_readlane_b32
// CHECK: s_endpgm
const void* exchanges_in_sub_groups(unsigned* p, std::uint64_t* q) {
  return nd_range([=](const pianola_launch&) {
    const unsigned lane = __pianola_local_id_x() % __pianola_sub_group_size();
    unsigned v = p[global_x()];
    v += __pianola_shuffle_32(v, lane ^ 1);
    q[global_x()] = __pianola_ballot(v > 5);
    p[global_x()] = v + __pianola_shuffle_32(v, 0);
  });
}

// Lanes that do not come by are switched off.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: s_cbranch_execz
// CHECK: ds_bpermute_b32
// CHECK: s_endpgm
const void* exchange_in_part_of_sub_group(unsigned* p) {
  return nd_range([=](const pianola_launch&) {
    const unsigned lane = __pianola_local_id_x() % __pianola_sub_group_size();
    if (p[global_x()] % 2 == 0) return;
    p[global_x()] += __pianola_shuffle_32_among(p[global_x()], lane ^ 2, p[0]);
    __pianola_sub_group_barrier_among(1, p[0]);
  });
}

// Relaxed additions need no result and no cache to be written back.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK-NOT: buffer_
// CHECK: global_atomic_add v
// CHECK: s_endpgm
const void* adds_relaxed(unsigned* p, unsigned* by) {
  return nd_range([=](const pianola_launch&) {
    __atomic_fetch_add(p, by[__pianola_local_id_x()], __ATOMIC_RELAXED);
  });
}

// Order for the whole system: what was written before goes out first, what was cached before is dropped.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// GFX90A: buffer_wbl2
// GFX9: s_waitcnt vmcnt(0)
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: global_atomic_cmpswap
// CHECK: s_waitcnt vmcnt(0)
// GFX90A: buffer_invl2
// GFX9: buffer_wbinvl1_vol
// GFX10: buffer_gl1_inv
// GFX10: buffer_gl0_inv
// CHECK: s_endpgm
const void* exchanges_in_order(int* p) {
  return nd_range([=](const pianola_launch&) {
    int expected = 0;
    p[global_x() + 2] = 1;
    __atomic_compare_exchange_n(p, &expected, 7, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
    p[1] = expected;
  });
}

// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_load_dword
// CHECK: s_waitcnt vmcnt(0)
// GFX9: buffer_wbinvl1_vol
// GFX10: buffer_gl0_inv
// CHECK: global_load_dword
// CHECK: s_endpgm
const void* acquires(const int* p, int* q) {
  return nd_range([=](const pianola_launch&) {
    while (__atomic_load_n(p, __ATOMIC_ACQUIRE) == 0) {
    }
    q[1] = p[1];
  });
}

// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: global_store_dword
// GFX90A: buffer_wbl2
// GFX9: s_waitcnt vmcnt(0)
// GFX10: s_waitcnt_vscnt null, 0x0
// CHECK: global_store_dword
// CHECK: s_endpgm
const void* releases(int* p) {
  return nd_range([=](const pianola_launch&) {
    p[global_x() + 1] = 1;
    __atomic_store_n(p, 1, __ATOMIC_RELEASE);
  });
}

// An array with computed indices is in the work-item's private memory.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: buffer_store_dword
// CHECK: buffer_load_dword
// CHECK: s_endpgm
const void* keeps_an_array(int* p) {
  return nd_range([=](const pianola_launch&) {
    int own[64];
    for (int i = 0; i < 64; ++i) own[i] = p[i * p[global_x()]];
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += own[(p[i] + i) & 63] * own[p[i] & 63];
    p[global_x()] = sum;
  });
}

// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK-DAG: v_sqrt_f32
// CHECK-DAG: v_rndne_f32
// CHECK: s_endpgm
const void* computes(float* p) {
  return nd_range([=](const pianola_launch&) {
    const float x = p[global_x()];
    p[global_x()] = __builtin_sqrtf(x) + __builtin_sinf(x);
  });
}

// A failed assertion stops the wave.
// CHECK-LABEL: {{^[0-9a-f]+ <pianola_kernel_}}
// CHECK: s_trap 2
const void* stops(int* p) {
  return nd_range([=](const pianola_launch&) {
    if (p[global_x()] == 3) __builtin_trap();
    p[global_x()] = 1;
  });
}
