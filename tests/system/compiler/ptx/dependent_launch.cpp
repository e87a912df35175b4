// SPDX-License-Identifier: Apache-2.0
// RUN: %unit %s | %ptx<sm_90> | FileCheck %s
// RUN: %unit %s | %ptx<sm_75> | FileCheck %s --check-prefix=OLD
// What is read behind the wait is not read before it; devices without the instructions get none.
#include "kernel.hpp"

struct data {
  int* at;
};

// OLD-NOT: griddepcontrol
// CHECK-LABEL: .visible .entry
// CHECK: griddepcontrol.launch_dependents;
// CHECK-NOT: ld.global
// CHECK: griddepcontrol.wait;
// CHECK: ld.global
// CHECK: st.global
KERNEL(2, 1) follows(const data& k, const pianola_launch&) {
  __pianola_dependent_launch(0);
  __pianola_dependent_launch(1);
  k.at[__pianola_local_id_x()] += 1;
}
