// SPDX-License-Identifier: Apache-2.0
// Intrinsics in functions of the host: there is no device, and everything else is a complaint at run time.
// RUN: %lowered
#include "kernel.hpp"

// CHECK-LABEL: define {{.*}}@_Z5wherev(
// CHECK-NOT: call {{.*}}__pianola
// CHECK: ret i32
int where() { return __pianola_is_device(); }

// CHECK-LABEL: define {{.*}}@_Z7nowherev(
// CHECK: call {{.*}}@__pianola_group_barrier.outside(i32
void nowhere() { barrier(); }

// CHECK-LABEL: define internal void @__pianola_group_barrier.outside(i32
// CHECK-NEXT: call void @pianola_intrinsic_outside_kernel_v1(ptr {{.*}}@
// CHECK-NEXT: unreachable
