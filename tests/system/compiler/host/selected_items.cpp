// SPDX-License-Identifier: Apache-2.0
// `if (x < n)` around all that happens between two barriers shortens the loop instead of being asked in it.
// RUN: %lowered
// RUN: %loops
#include "kernel.hpp"

void halves(float* sums) {
  // Most often the group has so many work-items: then a loop to a constant.
  // CHECK-LABEL: define internal void @{{.*}}6halves{{.*}}.work_group"(
  // CHECK-NOT: select
  // CHECK: fadd float
  // CHECK-NOT: select
  // CHECK: icmp {{(samesign )?}}ult i32 %{{.*}}, {{[78]$|[78],}}
  // CHECK-NEXT: br i1 {{.*}}, !llvm.loop
  // CHECK-NOT: select
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}6halves{{.*}}.work_group':
  // LOOPS-NOT: containing: {{.*}},
  // LOOPS: end of loops
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

void up_to(float* sums, unsigned half) {
  // CHECK-LABEL: define internal void @{{.*}}5up_to{{.*}}.work_group"(
  // CHECK: %[[HIGH:.*]] = call i32 @llvm.umin.i32(
  // CHECK: fadd float
  // CHECK: icmp ult i32 %{{.*}}, %[[HIGH]]
  // CHECK-NEXT: br i1 {{.*}}, !llvm.loop
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}5up_to{{.*}}.work_group':
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: end of loops
  launch<1>(
      [=] {
        float* all = local_memory<float>();
        all[x()] = sums[x()];
        barrier();
        if (x() < half) all[x()] += all[x() + half];
        barrier();
        sums[x()] = all[x()];
      },
      all, group);
}

void one(float* sums) {
  // No loop is left of it.
  // CHECK-LABEL: define internal void @{{.*}}3one{{.*}}.work_group"(
  // CHECK: br i1 {{.*}}, !llvm.loop
  // CHECK-NOT: icmp
  // CHECK-NOT: br i1
  // CHECK: store float
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}3one{{.*}}.work_group':
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: end of loops
  launch<1>(
      [=] {
        local_memory<float>()[x()] = sums[x()];
        barrier();
        if (x() == 0) sums[0] = local_memory<float>()[7];
      },
      all, group);
}
