// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// A barrier orders memory within those who meet at it; a wider scope takes a fence on either side.
#include "kernel.hpp"

struct data {
  volatile int* at;
};

// CHECK-LABEL: .visible .entry
// CHECK: st.volatile.global.u32
// CHECK-NEXT: bar.sync 0;
// CHECK-NOT: fence
// CHECK: st.volatile.global.u32 [{{.*}}+4]
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: bar.sync 0;
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: fence.acq_rel.gpu;
// CHECK: st.volatile.global.u32 [{{.*}}+8]
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: fence.acq_rel.sys;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: bar.sync 0;
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: fence.acq_rel.sys;
KERNEL(2, 1) groups(const data& k, const pianola_launch&) {
  k.at[0] = 1;
  __pianola_group_barrier(2);
  k.at[1] = 1;
  __pianola_group_barrier(3);
  k.at[2] = 1;
  __pianola_group_barrier(4);
}

// CHECK-LABEL: .visible .entry
// CHECK: st.volatile.global.u32
// CHECK-NEXT: bar.warp.sync -1;
// CHECK-NOT: fence
// CHECK: st.volatile.global.u32 [{{.*}}+4]
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: fence.acq_rel.cta;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: bar.warp.sync -1;
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: fence.acq_rel.cta;
KERNEL(2, 1) sub_groups(const data& k, const pianola_launch&) {
  k.at[0] = 1;
  __pianola_sub_group_barrier(1);
  k.at[1] = 1;
  __pianola_sub_group_barrier(2);
}

// A barrier that is called under a condition stays one barrier.
// CHECK-LABEL: .visible .entry
// CHECK: bar.sync 0;
// CHECK-NOT: bar.sync
// CHECK: ret;
__attribute__((noinline)) void meet(volatile int* at) {
  *at += 1;
  __pianola_group_barrier(2);
  *at += 2;
}
KERNEL(2, 1) called(const data& k, const pianola_launch& launch) {
  if (launch.global[2] > 1) k.at[5] = 1;
  meet(k.at);
  if (launch.global[2] > 1) k.at[6] = 1;
}
