// SPDX-License-Identifier: Apache-2.0
// A barrier whose scope reaches beyond the group is a fence, too.
// RUN: %lowered
#include "kernel.hpp"

void work_group(int* out) {
  // CHECK-LABEL: define internal void @{{.*}}10work_group{{.*}}.work_group"(
  // CHECK-NOT: fence
  // CHECK: ret void
  launch<1>(
      [=] {
        out[x()] = 1;
        __pianola_group_barrier(2);
        out[x() ^ 1] = 2;
      },
      all, group);
}

void device(int* out) {
  // CHECK-LABEL: define internal void @{{.*}}6device{{.*}}.work_group"(
  // CHECK: fence acq_rel
  // CHECK: ret void
  launch<1>(
      [=] {
        out[x()] = 1;
        __pianola_group_barrier(3);
        out[x() ^ 1] = 2;
      },
      all, group);
}
