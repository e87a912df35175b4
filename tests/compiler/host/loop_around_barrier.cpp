// SPDX-License-Identifier: Apache-2.0
// A loop around a barrier stays one loop, of scalars, with the loops over the work-items inside.
// RUN: %lowered
#include "kernel.hpp"

void make(const float* in, float* out, int n) {
  // CHECK-LABEL: define internal void @{{.*}}make{{.*}}.work_group"(
  // One value per work-item crosses the barriers: the sum.
  // CHECK: alloca float, i64 %{{.*}}, align 64
  // CHECK-NOT: alloca
  // The counter does not come from a loop over work-items.
  // CHECK: %[[COUNTER:.*scalar.*]] = phi i32
  // CHECK: item.x{{[0-9]*}}:
  // CHECK: br i1 {{.*}}!llvm.loop
  // CHECK: item.x{{[0-9]*}}:
  // CHECK: fadd float
  // CHECK: br i1 {{.*}}!llvm.loop
  // CHECK: icmp {{.*}} i32
  // CHECK: ret void
  // CHECK: {{^}}}
  launch<1>(
      [=] {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
          local_memory<float>()[x()] = in[x() + static_cast<unsigned>(k) * 64];
          barrier();
          sum += local_memory<float>()[x() ^ 1];
          barrier();
        }
        out[x()] = sum;
      },
      all, group);
}
