// SPDX-License-Identifier: Apache-2.0
// A private array that registers cannot replace has a copy for each work-item: on the stack, or, if it is large,
// in memory that the runtime keeps for each of its threads.
// RUN: %lowered
#include "kernel.hpp"

void small(int* out, int n, int m) {
  // CHECK-LABEL: define internal void @{{.*}}5small{{.*}}.work_group"(
  // CHECK-NOT: {{ call }}
  // CHECK: %[[COPIES:.*]] = alloca [16 x i8], i64 %{{.*}}, align 64
  // CHECK-NOT: alloca
  // CHECK-NOT: {{ call }}
  // CHECK: getelementptr inbounds [16 x i8], ptr %[[COPIES]], i64 %
  // CHECK: br i1 {{.*}}, !llvm.loop
  // CHECK: getelementptr inbounds [16 x i8], ptr %[[COPIES]], i64 %
  // CHECK: br i1 {{.*}}, !llvm.loop
  // CHECK: ret void
  launch<1>(
      [=] {
        int own[4] = {};
        own[n] = out[x()];
        barrier();
        out[x()] = own[m];
      },
      all, group);
}

void large(int* out, int n, int m) {
  // CHECK-LABEL: define internal void @{{.*}}5large{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: mul {{.*}}i64 %{{.*}}, 400{{$|,}}
  // CHECK: %[[BYTES:.*]] = and i64
  // CHECK: %[[FRAME:.*]] = call {{.*}}ptr @pianola_work_group_frame_v1(i64 %[[BYTES]])
  // CHECK-NOT: alloca
  // CHECK-NOT: pianola_work_group_frame_v1
  // CHECK: getelementptr inbounds [400 x i8], ptr %[[FRAME]], i64 %
  // CHECK: ret void
  launch<1>(
      [=] {
        int own[100];
        for (int i = 0; i < 100; ++i) own[i] = i;
        own[n] = out[x()];
        barrier();
        out[x()] = own[m];
      },
      all, group);
}

// CHECK: declare noalias nonnull align 64 ptr @pianola_work_group_frame_v1(i64)
