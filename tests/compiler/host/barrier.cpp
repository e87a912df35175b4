// SPDX-License-Identifier: Apache-2.0
// A barrier separates two loops over the work-items; nothing of it is left.
// RUN: %lowered
#include "kernel.hpp"

void make(const float* in, float* out) {
  // CHECK-LABEL: define internal void @{{.*}}make{{.*}}.work_group"(
  // CHECK-NOT: call
  // CHECK: item.x:
  // CHECK: %[[LOADED:.*]] = load float, {{.*}}!llvm.access.group ![[FIRST:[0-9]+]]
  // CHECK: store float %[[LOADED]], {{.*}}!llvm.access.group ![[FIRST]]
  // CHECK: item.x.latch:
  // CHECK: br i1 {{.*}}, label %item.x, label %{{.*}}, !llvm.loop ![[LOOP:[0-9]+]]
  // CHECK-NOT: call
  // CHECK: item.x[[N:[0-9]+]]:
  // CHECK: load float, {{.*}}!llvm.access.group ![[SECOND:[0-9]+]]
  // CHECK: store float {{.*}}!llvm.access.group ![[SECOND]]
  // CHECK: br i1 {{.*}}, label %item.x[[N]], {{.*}}!llvm.loop
  // CHECK-NOT: call
  // CHECK: ret void
  // CHECK: {{^}}}
  launch<1>(
      [=] {
        local_memory<float>()[x()] = in[x()];
        barrier();
        out[x()] = local_memory<float>()[x() + 1];
      },
      all, group);
}

// The vectoriser is told that work-items do not meet between barriers, and that it comes first.
// CHECK-DAG: ![[LOOP]] = distinct !{![[LOOP]], {{.*}}![[PARALLEL:[0-9]+]], ![[NO_UNROLL:[0-9]+]], ![[LATER:[0-9]+]]}
// CHECK-DAG: ![[PARALLEL]] = !{!"llvm.loop.parallel_accesses", ![[FIRST]]}
// CHECK-DAG: ![[NO_UNROLL]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: ![[LATER]] = !{!"llvm.loop.vectorize.followup_vectorized", {{.*}}}
