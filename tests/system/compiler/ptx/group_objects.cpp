// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s
// Objects of a work-group are shared variables, one for each number.
#include "kernel.hpp"

struct pointers {
  int* to;
};

// CHECK: .shared .align 16 .b8 pianola_group_object_0[400];
// CHECK: .shared .align 4 {{.*}} pianola_group_object_1
// CHECK-NOT: pianola_group_object_2
// CHECK: st.shared.u32
// CHECK: bar.sync
// CHECK: ld.shared.u32
// CHECK-NOT: ld.u32
KERNEL(2, 1) objects(const pointers& k, const pianola_launch&) {
  const auto row = [] {
    return static_cast<int*>(__pianola_group_object(nullptr, nullptr, 0, 400, 16));
  };
  auto* one = static_cast<int*>(__pianola_group_object(nullptr, nullptr, 1, 4, 4));
  row()[__pianola_local_id_x()] = 1;
  if (__pianola_local_id_x() == 0) *one = 2;
  __pianola_group_barrier(2);
  k.to[global_x()] = row()[__pianola_local_id_x() ^ 1] + *one;
}
