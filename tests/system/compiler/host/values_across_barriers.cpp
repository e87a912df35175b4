// SPDX-License-Identifier: Apache-2.0
// Only a value that differs between work-items and cannot be computed again gets an array.
// RUN: %lowered
#include "kernel.hpp"

void same_for_all(const int* in, int* out) {
  // A load of the same address, needed behind the barrier.
  // CHECK-LABEL: define internal void @{{.*}}same_for_all{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: ret void
  launch<1>(
      [=] {
        const int factor = in[__pianola_group_id_x()];
        local_memory<int>()[x()] = in[x()] * factor;
        barrier();
        out[x()] = local_memory<int>()[x() ^ 1] * factor;
      },
      all, group);
}

void computed_again(int* out, unsigned step) {
  // CHECK-LABEL: define internal void @{{.*}}computed_again{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: ret void
  launch<1>(
      [=] {
        const unsigned place = (x() * step + 7) ^ 5;
        local_memory<int>()[place] = 1;
        barrier();
        out[place] = local_memory<int>()[x()];
      },
      all, group);
}

void in_an_array(const float* in, float* out) {
  // CHECK-LABEL: define internal void @{{.*}}in_an_array{{.*}}.work_group"(
  // CHECK: %[[ARRAY:.*]] = alloca float, i64 %{{.*}}, align 64
  // CHECK-NOT: alloca
  // CHECK: %[[SLOT:.*]] = getelementptr inbounds float, ptr %[[ARRAY]], i64 %
  // CHECK: store float %{{.*}}, ptr %[[SLOT]], align 4, !alias.scope
  // CHECK: br i1 {{.*}}, !llvm.loop
  // CHECK: %[[AGAIN:.*]] = getelementptr inbounds float, ptr %[[ARRAY]], i64 %
  // CHECK: load float, ptr %[[AGAIN]], align 4, !alias.scope
  // CHECK: ret void
  launch<1>(
      [=] {
        const float own = in[x()];
        local_memory<float>()[x()] = own;
        barrier();
        out[x()] = local_memory<float>()[x() ^ 1] + own;
      },
      all, group);
}

void on_all_ways(int* out, int flag) {
  // Every way to the end computes the place, so it is computed again there.
  // CHECK-LABEL: define internal void @{{.*}}on_all_ways{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: ret void
  launch<1>(
      [=] {
        int* shared = local_memory<int>();
        if (flag > 0) {
          shared[x() * 3 + 5] = 1;
          barrier();
        } else {
          out[x() * 3 + 5] = 2;
          barrier();
        }
        out[x() * 3 + 5] += shared[x() + 7];
      },
      all, group);
}

void truth(const float* in, float* out) {
  // CHECK-LABEL: define internal void @{{.*}}truth{{.*}}.work_group"(
  // CHECK: alloca i8, i64 %{{.*}}, align 64
  // CHECK-NOT: alloca
  // CHECK: ret void
  launch<1>(
      [=] {
        const bool positive = in[x()] > 0;
        local_memory<float>()[x()] = in[x()];
        barrier();
        out[x()] = local_memory<float>()[x() ^ 1];
        if (positive) out[x() + 1000] = 1;
      },
      all, group);
}
