// SPDX-License-Identifier: Apache-2.0
// A loop around a barrier stays one loop, of scalars, with the loops over the work-items inside.
// RUN: %lowered
// RUN: %loops
#include "kernel.hpp"

void counted(const float* in, float* out, int n) {
  // One value per work-item crosses the barriers: the sum. It stays in its place when the loop ends.
  // CHECK-LABEL: define internal void @{{.*}}7counted{{.*}}.work_group"(
  // CHECK: alloca float, i64 %{{.*}}, align 64
  // CHECK-NOT: alloca
  // CHECK-NOT: {{ call }}
  // CHECK: fadd float
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}7counted{{.*}}.work_group':
  // LOOPS: {{^}}Loop at depth 1
  // LOOPS-NEXT: {{^ +}}Parallel Loop at depth 2 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: {{^ +}}Parallel Loop at depth 2 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NOT: {{^ }}
  // LOOPS-NOT: {{^}}Loop at depth 1
  // LOOPS: end of loops
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

void until(int* out, const int* limit) {
  // Whether to go on is decided once, between loops over the work-items.
  // CHECK-LABEL: define internal void @{{.*}}5until{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK-NOT: {{ call }}
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}5until{{.*}}.work_group':
  // LOOPS: {{^}}Loop at depth 1
  // LOOPS-COUNT-3: {{^ +}}Parallel Loop at depth 2 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NOT: {{^ }}
  // LOOPS-NOT: {{^}}Loop at depth 1
  // LOOPS: end of loops
  launch<1>(
      [=] {
        for (;;) {
          local_memory<int>()[x()] = out[x()] + 1;
          barrier();
          if (local_memory<int>()[0] > *limit) break;
          out[x()] = local_memory<int>()[x() ^ 1];
          barrier();
        }
      },
      all, group);
}
