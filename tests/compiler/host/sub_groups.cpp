// SPDX-License-Identifier: Apache-2.0
// Sub-groups: lanes are the items of inner loops, sub-groups those of outer ones.
// RUN: %lowered
#include "kernel.hpp"

void shuffle(unsigned* out) {
  // CHECK-LABEL: define internal void @{{.*}}shuffle{{.*}}.work_group"(
  // One slot per lane, for each of the group's sub-groups.
  // CHECK: alloca [32 x i8], i64 %{{.*}}, align 64
  // CHECK: item.x:
  // The loop over the lanes of a full sub-group has a constant end.
  // CHECK: icmp ult i32 %{{.*}}, 8
  // CHECK-NOT: call {{.*}}__pianola
  // CHECK: ret void
  launch<1>([=] { out[x()] = __pianola_shuffle_32(out[x()], x() ^ 1); }, all, group);
}

void vote(std::uint64_t* out) {
  // CHECK-LABEL: define internal void @{{.*}}vote{{.*}}.work_group"(
  // CHECK: load <8 x i8>
  // CHECK: bitcast <8 x i1> %{{.*}} to i8
  // CHECK: ret void
  launch<1>([=] { out[x()] = __pianola_ballot(out[x()] > 3); }, all, group);
}

void independent(unsigned* out) {
  // Sub-groups that exchange nothing are no sub-groups: one loop over all.
  // CHECK-LABEL: define internal void @{{.*}}independent{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK-COUNT-1: !llvm.loop
  // CHECK-NOT: !llvm.loop
  // CHECK: ret void
  launch<1>([=] { out[x()] = x() / __pianola_sub_group_size(); }, all, group);
}
