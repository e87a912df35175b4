// SPDX-License-Identifier: Apache-2.0
// A branch around a barrier is taken once for all work-items, also if only the program's author knows that
// they agree.
// RUN: %lowered
#include "kernel.hpp"

void known(int* out, int flag) {
  // CHECK-LABEL: define internal void @{{.*}}known{{.*}}.work_group"(
  // CHECK: %[[FLAG:.*]] = icmp {{.*}} i32
  // CHECK-NOT: alloca
  // CHECK: br i1 %[[FLAG]], label %region{{.*}}, label %region
  // CHECK: ret void
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
  // The last work-item's opinion, without an array for all of them.
  // CHECK-LABEL: define internal void @{{.*}}promised{{.*}}.work_group"(
  // CHECK-NOT: alloca i
  // CHECK: br i1 %{{.*}}, label %region{{.*}}, label %region
  // CHECK: ret void
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
