// SPDX-License-Identifier: Apache-2.0
// A branch around a barrier is taken once for all work-items, also if only the program's author knows that
// they agree, who then is asked to be right: no loop over work-items has a branch in it.
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
  // Every work-item leaves its opinion, a byte; one comparison tells whether they agree.
  // CHECK-LABEL: define internal void @{{.*}}8promised{{.*}}.work_group"(
  // CHECK-DAG: store i8 {{.*}}!llvm.access.group
  // CHECK-DAG: call i32 @{{memcmp|bcmp}}(
  // CHECK-DAG: call void @pianola_run_apart_v1(
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
