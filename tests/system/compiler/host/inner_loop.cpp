// SPDX-License-Identifier: Apache-2.0
// A loop that all work-items run alike, without a barrier, goes around the loop over the work-items if they
// then walk along memory together, and stays inside if each would walk along its own row.
// RUN: %lowered
// RUN: %loops
#include "kernel.hpp"

void column(const float* in, float* out, int n) {
  // The sums, and nothing else, are in an array.
  // CHECK-LABEL: define internal void @{{.*}}6column{{.*}}.work_group"(
  // CHECK: %[[SUMS:.*]] = alloca float, i64 %{{.*}}, align 64
  // CHECK-NOT: alloca
  // CHECK: %[[SUM:.*]] = getelementptr inbounds float, ptr %[[SUMS]], i64
  // CHECK: fadd float
  // CHECK: store float %{{.*}}, ptr %[[SUM]], {{.*}}!llvm.access.group
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}6column{{.*}}.work_group':
  // LOOPS: {{^}}Loop at depth 1
  // LOOPS-NEXT: {{^ +}}Parallel Loop at depth 2 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NOT: depth 2
  // LOOPS: end of loops
  launch<1>(
      [=] {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += in[static_cast<unsigned>(k) * 1000U + x()];
        out[x()] = sum;
      },
      all, group);
}

void row(const float* in, float* out, int n) {
  // CHECK-LABEL: define internal void @{{.*}}3row{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: fadd float
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}3row{{.*}}.work_group':
  // LOOPS-NEXT: Parallel Loop at depth 1
  // LOOPS-NEXT: {{^ +}}Loop at depth 2
  // LOOPS-NEXT: end of loops
  launch<1>(
      [=] {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += in[static_cast<unsigned>(k) + x() * 1000U];
        out[x()] = sum;
      },
      all, group);
}
