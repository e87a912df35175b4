// SPDX-License-Identifier: Apache-2.0
// A branch around a barrier is taken once for all work-items, also if only the program's author knows that
// they agree: no loop over work-items has a branch in it.
// RUN: %lowered
// RUN: %loops
#include "kernel.hpp"

void known(int* out, int flag) {
  // CHECK-LABEL: define internal void @{{.*}}5known{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK-NOT: switch
  // CHECK: %[[FLAG:.*]] = icmp sgt i32 %{{.*}}, 3{{$|,}}
  // CHECK: br i1 %[[FLAG]], label
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}5known{{.*}}.work_group':
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: end of loops
  launch<1>(
      [=] {
        local_memory<int>()[x()] = out[x()];
        if (flag > 3) {
          barrier();
          out[x()] = local_memory<int>()[x() ^ 1];
        }
        barrier();
        out[x() + 100] = local_memory<int>()[x() ^ 2];
      },
      all, group);
}

void promised(int* out, const int* flags) {
  // One work-item's opinion is asked, without an array for all of them.
  // CHECK-LABEL: define internal void @{{.*}}8promised{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: %[[OPINION:.*]] = load i32, {{.*}}!llvm.access.group
  // CHECK-NEXT: %[[GO:.*]] = icmp sgt i32 %[[OPINION]], 3{{$|,}}
  // CHECK: br i1 %[[GO]], label
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}8promised{{.*}}.work_group':
  // LOOPS-NOT: containing: {{.*}},
  // LOOPS: end of loops
  launch<1>(
      [=] {
        if (flags[x()] > 3) {
          local_memory<int>()[x()] = out[x()];
          barrier();
          out[x()] = local_memory<int>()[x() ^ 1];
        }
      },
      all, group);
}
