// SPDX-License-Identifier: Apache-2.0
// `if (x < n)` around all that happens between two barriers shortens the loop instead of being asked in it.
// RUN: %lowered
#include "kernel.hpp"

void halves(float* sums) {
  // CHECK-LABEL: define internal void @{{.*}}halves{{.*}}.work_group"(
  // CHECK: fadd float
  // CHECK: icmp ult i32 %{{.*}}, 8
  // CHECK: fadd float
  // CHECK: ret void
  launch<1>(
      [=] {
        float* all = local_memory<float>();
        all[x()] = sums[x()];
        barrier();
        if (x() < 8) all[x()] += all[x() + 8];
        barrier();
        sums[x()] = all[x()];
      },
      all, group);
}

void one(float* sums) {
  // No loop is left of it.
  // CHECK-LABEL: define internal void @{{.*}}one{{.*}}.work_group"(
  // CHECK-COUNT-2: item.x.index{{.*}} = phi
  // CHECK-NOT: icmp eq
  // CHECK: ret void
  launch<1>(
      [=] {
        local_memory<float>()[x()] = sums[x()];
        barrier();
        if (x() == 0) sums[0] = local_memory<float>()[7];
      },
      all, group);
}
