// SPDX-License-Identifier: Apache-2.0
// Sub-groups: lanes are the items of inner loops, sub-groups those of outer ones.
// RUN: %lowered
// RUN: %loops
#include "kernel.hpp"

void shuffle(unsigned* out) {
  // As many sub-groups of eight as the group needs, and for each of them one slot per lane.
  // CHECK-LABEL: define internal void @{{.*}}7shuffle{{.*}}.work_group"(
  // CHECK: %[[ROUND:.*]] = add {{.*}}i32 %{{.*}}, 7{{$|,}}
  // CHECK: %[[NARROW:.*]] = lshr i32 %[[ROUND]], 3{{$|,}}
  // CHECK: %[[COUNT:.*]] = zext {{.*}}i32 %[[NARROW]] to i64
  // CHECK: alloca [{{[0-9]+}} x i8], i64 %[[COUNT]], align 64
  // CHECK-NOT: alloca
  // The loop over the lanes of a full sub-group has a constant end.
  // CHECK: icmp {{(samesign )?}}ult i32 %{{.*}}, {{[78]$|[78],}}
  // CHECK-NEXT: br i1 {{.*}}, !llvm.loop
  // CHECK-NOT: __pianola
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}7shuffle{{.*}}.work_group':
  // LOOPS-NEXT: {{^}}Loop at depth 1
  // LOOPS-COUNT-2: {{^ +}}Parallel Loop at depth 2 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NOT: {{^}}Loop at depth 1
  // LOOPS: end of loops
  launch<1>([=] { out[x()] = __pianola_shuffle_32(out[x()], x() ^ 1); }, all, group);
}

void vote(std::uint64_t* out) {
  // CHECK-LABEL: define internal void @{{.*}}4vote{{.*}}.work_group"(
  // CHECK: %[[SAID:.*]] = load <8 x i8>
  // CHECK: %[[TRUE:.*]] = icmp ne <8 x i8> %[[SAID]], zeroinitializer
  // CHECK: bitcast <8 x i1> %[[TRUE]] to i8
  // CHECK: ret void
  launch<1>([=] { out[x()] = __pianola_ballot(out[x()] > 3); }, all, group);
}

void independent(unsigned* out) {
  // Sub-groups that exchange nothing are no sub-groups: one loop over all.
  // CHECK-LABEL: define internal void @{{.*}}11independent{{.*}}.work_group"(
  // CHECK-NOT: alloca
  // CHECK: lshr i32 %{{.*}}, 3{{$|,}}
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}11independent{{.*}}.work_group':
  // LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
  // LOOPS-NEXT: end of loops
  launch<1>([=] { out[x()] = x() / __pianola_sub_group_size(); }, all, group);
}

void waits_between(unsigned* out) {
  // Work-items of all sub-groups meet at a barrier: each side of it is a loop over sub-groups, of loops over
  // lanes.
  // CHECK-LABEL: define internal void @{{.*}}13waits_between{{.*}}.work_group"(
  // CHECK: ret void

  // LOOPS-LABEL: Loop info for function '{{.*}}13waits_between{{.*}}.work_group':
  // LOOPS: {{^}}Loop at depth 1
  // LOOPS: {{^ +}}Parallel Loop at depth 2
  // LOOPS: {{^}}Loop at depth 1
  // LOOPS: {{^ +}}Parallel Loop at depth 2
  // LOOPS-NOT: {{^}}Loop at depth 1
  // LOOPS: end of loops
  launch<1>(
      [=] {
        local_memory<unsigned>()[x()] = __pianola_shuffle_32(out[x()], 3);
        barrier();
        out[x()] = __pianola_shuffle_32(local_memory<unsigned>()[x() ^ 64], 2);
      },
      all, group);
}
