// SPDX-License-Identifier: Apache-2.0
// A barrier separates two loops over the work-items; nothing of it is left.
// RUN: %lowered
// RUN: %loops
#include "kernel.hpp"

void make(const float* in, float* out) {
  // CHECK-LABEL: define internal void @{{.*}}4make{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK-NOT: {{ call }}
  // CHECK: %[[LOADED:.*]] = load float, {{.*}}!llvm.access.group ![[FIRST:[0-9]+]]
  // CHECK: store float %[[LOADED]], {{.*}}!llvm.access.group ![[FIRST]]
  // CHECK: br i1 {{.*}}, !llvm.loop ![[LOOP:[0-9]+]]
  // CHECK-NOT: !llvm.access.group ![[FIRST]]
  // CHECK-NOT: {{ call }}
  // CHECK: %[[SHARED:.*]] = load float, {{.*}}!llvm.access.group ![[SECOND:[0-9]+]]
  // CHECK: store float %[[SHARED]], {{.*}}!llvm.access.group ![[SECOND]]
  // CHECK: br i1 {{.*}}, !llvm.loop
  // CHECK-NOT: {{ call }}
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}4make{{.*}}.work_group':
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: end of loops
  launch<1>(
      [=] {
        local_memory<float>()[x()] = in[x()];
        barrier();
        out[x()] = local_memory<float>()[x() + 1];
      },
      all, group);
}

// The vectoriser is told that work-items do not meet between barriers, and nobody unrolls the loop before it.
// CHECK-DAG: ![[PARALLEL:[0-9]+]] = !{!"llvm.loop.parallel_accesses", ![[FIRST]]}
// CHECK-DAG: ![[NO_UNROLL:[0-9]+]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: ![[LOOP]] = distinct !{![[LOOP]], {{.*}}![[PARALLEL]], {{.*}}![[NO_UNROLL]]{{[,}]}}
