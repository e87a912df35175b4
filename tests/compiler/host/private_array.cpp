// SPDX-License-Identifier: Apache-2.0
// A private array that registers cannot replace has a copy for each work-item.
// RUN: %lowered
#include "kernel.hpp"

void small(int* out, int n) {
  // CHECK-LABEL: define internal void @{{.*}}small{{.*}}.work_group"(
  // CHECK: %[[COPIES:.*]] = alloca [16 x i8], i64 %{{.*}}, align 64
  // CHECK: getelementptr inbounds [16 x i8], ptr %[[COPIES]], i64
  // CHECK-NOT: pianola_work_group_frame
  // CHECK: ret void
  launch<1>(
      [=] {
        int own[4] = {1, 2, 3, 4};
        own[n] = out[x()];
        barrier();
        out[x()] = own[n ^ 1];
      },
      all, group);
}

void large(int* out, int n) {
  // CHECK-LABEL: define internal void @{{.*}}large{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: %[[BYTES:.*]] = and i64 %{{.*}}, -64
  // CHECK: call noalias {{.*}}ptr @pianola_work_group_frame_v1(i64 %[[BYTES]])
  // CHECK-NOT: alloca
  // CHECK: ret void
  launch<1>(
      [=] {
        int own[100];
        for (int i = 0; i < 100; ++i) own[i] = i;
        own[n] = out[x()];
        barrier();
        out[x()] = own[n ^ 1];
      },
      all, group);
}
