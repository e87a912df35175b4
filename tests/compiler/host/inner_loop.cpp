// SPDX-License-Identifier: Apache-2.0
// A loop that all work-items run alike, without a barrier, goes around the loop over the work-items if they
// then walk along memory together, and stays inside if each would walk along its own row.
// RUN: %lowered
#include "kernel.hpp"

void column(const float* in, float* out, int n) {
  // CHECK-LABEL: define internal void @{{.*}}column{{.*}}.work_group"(
  // CHECK: alloca float, i64 %{{.*}}, align 64
  // CHECK: phi i64
  // CHECK: item.x{{[0-9]*}}:
  // CHECK: fadd float
  // CHECK: br i1 {{.*}}!llvm.loop
  // CHECK: ret void
  launch<1>(
      [=] {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += in[static_cast<unsigned>(k) * 1000U + x()];
        out[x()] = sum;
      },
      all, group);
}

void row(const float* in, float* out, int n) {
  // CHECK-LABEL: define internal void @{{.*}}row{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: item.x:
  // CHECK: fadd float
  // CHECK: ret void
  launch<1>(
      [=] {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += in[static_cast<unsigned>(k) + x() * 1000U];
        out[x()] = sum;
      },
      all, group);
}
