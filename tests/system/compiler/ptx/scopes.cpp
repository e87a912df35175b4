// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// The scopes of sycl::atomic_ref and sycl::atomic_fence, in all orders.
#include <sycl/kernel/atomic_fence.hpp>
#include <sycl/kernel/atomic_ref.hpp>

#include "kernel.hpp"

using sycl::memory_order;
using sycl::memory_scope;

struct ints {
  int* at;
  int* out;
};
template <memory_scope Scope, memory_order Order = memory_order::relaxed>
using ref = sycl::atomic_ref<int, Order, Scope>;

// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.cta.global.add.u32
// CHECK: atom.relaxed.cta.global.add.u32
// CHECK: atom.relaxed.cta.global.add.u32
// CHECK: atom.relaxed.gpu.global.add.u32
// CHECK: atom.relaxed.sys.global.add.u32
KERNEL(1, 1) of_the_type(const ints& k, const pianola_launch&) {
  k.out[0] = ref<memory_scope::work_item>(k.at[0]).fetch_add(1);
  k.out[1] = ref<memory_scope::sub_group>(k.at[0]).fetch_add(1);
  k.out[2] = ref<memory_scope::work_group>(k.at[0]).fetch_add(1);
  k.out[3] = ref<memory_scope::device>(k.at[0]).fetch_add(1);
  k.out[4] = ref<memory_scope::system>(k.at[0]).fetch_add(1);
}

// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.gpu.global.min.s32
// CHECK: atom.acquire.gpu.global.max.s32
// CHECK: atom.release.gpu.global.and.b32
// CHECK: atom.acq_rel.gpu.global.or.b32
// CHECK: fence.sc.gpu;
// CHECK: atom.acquire.gpu.global.xor.b32
// CHECK: atom.acq_rel.cta.global.exch.b32
// CHECK: atom.acq_rel.cta.global.cas.b32
// CHECK: ld.acquire.cta.global.u32
// CHECK: st.release.gpu.global.u32
KERNEL(1, 1) of_the_call(const ints& k, const pianola_launch&) {
  const ref<memory_scope::system> all(k.at[0]);
  k.out[0] = all.fetch_min(1, memory_order::relaxed, memory_scope::device);
  k.out[1] = all.fetch_max(1, memory_order::acquire, memory_scope::device);
  k.out[2] = all.fetch_and(1, memory_order::release, memory_scope::device);
  k.out[3] = all.fetch_or(1, memory_order::acq_rel, memory_scope::device);
  k.out[4] = all.fetch_xor(1, memory_order::seq_cst, memory_scope::device);
  k.out[5] = all.exchange(1, memory_order::acq_rel, memory_scope::work_group);
  int expected = 3;
  k.out[6] =
      all.compare_exchange_strong(expected, 4, memory_order::acq_rel, memory_scope::work_group);
  k.out[7] = all.load(memory_order::acquire, memory_scope::work_group);
  all.store(5, memory_order::release, memory_scope::device);
}

struct others {
  double* sums;
  float* least;
  int** pointers;
  long long* wide;
};
// Those that are exchanged until they fit, as well.
// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.gpu.global.add.f64
// CHECK: ld.relaxed.cta.global.u32
// CHECK: atom.acq_rel.cta.global.cas.b32
// CHECK: ld.relaxed.gpu.global.u64
// CHECK: atom.relaxed.gpu.global.cas.b64
// CHECK: atom.relaxed.gpu.global.add.u64
KERNEL(1, 1) other_types(const others& k, const pianola_launch&) {
  sycl::atomic_ref<double, memory_order::relaxed, memory_scope::device>(*k.sums) += 1.5;
  sycl::atomic_ref<float, memory_order::acq_rel, memory_scope::work_group>(*k.least).fetch_min(2);
  sycl::atomic_ref<int*, memory_order::relaxed, memory_scope::device>(*k.pointers).fetch_add(3);
  ++sycl::atomic_ref<long long, memory_order::relaxed, memory_scope::device>(*k.wide);
}

// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.cta.shared.add.u32
KERNEL(2, 1) local(const ints&, const pianola_launch&) {
  ref<memory_scope::work_group>(*static_cast<int*>(__pianola_local_memory())).fetch_add(1);
}

// What is known only at run time has the widest scope.
// CHECK-LABEL: .visible .entry
// CHECK: atom.relaxed.sys.global.add.u32
KERNEL(1, 1) at_run_time(const ints& k, const pianola_launch&) {
  ref<memory_scope::device>(k.at[0]).fetch_add(1, memory_order::relaxed,
                                               static_cast<memory_scope>(k.out[0]));
}

// CHECK-LABEL: .visible .entry
// CHECK-NOT: fence.{{.*}}.sys
// CHECK: fence.acq_rel.cta;
// CHECK: fence.acq_rel.cta;
// CHECK: fence.acq_rel.gpu;
// CHECK: fence.acq_rel.gpu;
// CHECK: fence.sc.gpu;
// CHECK: fence.acq_rel.sys;
// CHECK-NOT: fence
// CHECK: ret;
KERNEL(1, 1) fences(const ints& k, const pianola_launch&) {
  volatile int* at = k.at;
  *at = 0;
  sycl::atomic_fence(memory_order::acq_rel, memory_scope::work_item);
  *at = 1;
  sycl::atomic_fence(memory_order::acquire, memory_scope::sub_group);
  *at = 2;
  sycl::atomic_fence(memory_order::release, memory_scope::work_group);
  *at = 3;
  sycl::atomic_fence(memory_order::acquire, memory_scope::device);
  *at = 4;
  sycl::atomic_fence(memory_order::release, memory_scope::device);
  *at = 5;
  sycl::atomic_fence(memory_order::seq_cst, memory_scope::device);
  *at = 6;
  sycl::atomic_fence(memory_order::acq_rel, memory_scope::system);
  *at = 7;
  sycl::atomic_fence(memory_order::relaxed, memory_scope::system);
  *at = 8;
}

// Nobody else sees a private variable.
// CHECK-LABEL: .visible .entry
// CHECK-NOT: atom
// CHECK: ret;
KERNEL(1, 1) own(const ints& k, const pianola_launch&) {
  int sum = 0;
  for (int i = 0; i < 8; ++i) ref<memory_scope::device>(sum).fetch_add(k.at[i]);
  k.out[0] = sum;
}
