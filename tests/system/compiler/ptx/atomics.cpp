// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// Every order and width. What is sequentially consistent has a fence.sc in front.
#include "kernel.hpp"

struct ints {
  int* at;
  int* out;
};

// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.sys.global.add.u32
// CHECK: atom.acquire.sys.global.min.s32
// CHECK: atom.release.sys.global.or.b32
// CHECK: atom.acq_rel.sys.global.exch.b32
// CHECK: fence.sc.sys;
// CHECK: atom.acquire.sys.global.and.b32
KERNEL(1, 1) modifications(const ints& k, const pianola_launch&) {
  k.out[0] = __atomic_fetch_add(k.at, 1, __ATOMIC_RELAXED);
  k.out[1] = __atomic_fetch_min(k.at, 2, __ATOMIC_ACQUIRE);
  k.out[2] = __atomic_fetch_or(k.at, 3, __ATOMIC_RELEASE);
  k.out[3] = __atomic_exchange_n(k.at, 4, __ATOMIC_ACQ_REL);
  k.out[4] = __atomic_fetch_and(k.at, 5, __ATOMIC_SEQ_CST);
}

// CHECK-LABEL: .visible .entry
// CHECK: ld.relaxed.sys.global.u32
// CHECK: ld.acquire.sys.global.u32
// CHECK: fence.sc.sys;
// CHECK: ld.acquire.sys.global.u32
// CHECK: st.relaxed.sys.global.u32
// CHECK: st.release.sys.global.u32
// CHECK: fence.sc.sys;
// CHECK: st.relaxed.sys.global.u32
KERNEL(1, 1) loads_and_stores(const ints& k, const pianola_launch&) {
  k.out[0] = __atomic_load_n(k.at, __ATOMIC_RELAXED);
  k.out[1] = __atomic_load_n(k.at, __ATOMIC_ACQUIRE);
  k.out[2] = __atomic_load_n(k.at, __ATOMIC_SEQ_CST);
  __atomic_store_n(k.at, 1, __ATOMIC_RELAXED);
  __atomic_store_n(k.at, 2, __ATOMIC_RELEASE);
  __atomic_store_n(k.at, 3, __ATOMIC_SEQ_CST);
}

// The stronger of the two orders.
// CHECK-LABEL: .visible .entry
// CHECK: atom.acquire.sys.global.cas.b32
// CHECK: setp
// CHECK: fence.sc.sys;
// CHECK: atom.acquire.sys.global.cas.b32
KERNEL(1, 1) exchanges(const ints& k, const pianola_launch&) {
  int expected = 3;
  k.out[0] =
      __atomic_compare_exchange_n(k.at, &expected, 4, false, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE);
  k.out[1] = expected;
  k.out[2] =
      __atomic_compare_exchange_n(k.at, &expected, 5, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// CHECK-LABEL: .visible .entry
// CHECK: fence.acq_rel.sys;
// CHECK: fence.sc.sys;
KERNEL(1, 1) fences(const ints& k, const pianola_launch&) {
  k.at[0] = 1;
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  k.at[0] = 2;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  k.at[0] = 3;
}

struct doubles {
  double* at;
};
// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.sys.global.add.f64
KERNEL(1, 1) sums(const doubles& k, const pianola_launch&) {
  __atomic_fetch_add(k.at, 1.5, __ATOMIC_RELAXED);
}

// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.sys.shared.add.u32
KERNEL(2, 1) local(const ints&, const pianola_launch&) {
  __atomic_fetch_add(static_cast<int*>(__pianola_local_memory()), 1, __ATOMIC_RELAXED);
}

// Nobody else sees a private variable.
// CHECK-LABEL: .visible .entry
// CHECK-NOT: atom
// CHECK: ret;
KERNEL(1, 1) own(const ints& k, const pianola_launch&) {
  int values[8] = {};
  for (int i = 0; i < 8; ++i) __atomic_fetch_add(&values[k.at[i] & 7], 1, __ATOMIC_SEQ_CST);
  k.out[0] = values[k.at[9] & 7];
}

struct bytes {
  unsigned char* at;
  short* shorts;
};
// A byte is exchanged as part of its word.
// CHECK-LABEL: .visible .entry
// CHECK: and.b64 [[WORD:%.*]], {{.*}}, -4;
// CHECK: ld.relaxed.sys.global.u32 {{.*}}, [[[WORD]]];
// CHECK: atom.acquire.sys.global.cas.b32 {{.*}}, [[[WORD]]],
// CHECK: @{{.*}} bra
// CHECK: ld.relaxed.sys.global.u16
// CHECK: atom.acquire.sys.global.cas.b16
// CHECK: @{{.*}} bra
KERNEL(1, 1) small(const bytes& k, const pianola_launch&) {
  __atomic_fetch_add(k.at, 1, __ATOMIC_ACQUIRE);
  __atomic_fetch_max(k.shorts, 2, __ATOMIC_ACQUIRE);
}
