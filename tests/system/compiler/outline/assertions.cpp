// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module | FileCheck %s
// What ends a program is a trap.
#include "kernel.hpp"

#include <cassert>
#include <cstdlib>
#include <exception>

// CHECK-NOT: __PRETTY_FUNCTION__
// CHECK-LABEL: define {{.*}} @{{"?}}_ZN7pianola4glue11kernel_body
// CHECK-COUNT-3: call void @llvm.trap()
// CHECK-NOT: @__assert_fail
// CHECK-NOT: @abort
// CHECK-NOT: terminate
void make(int* p) {
  launch([=] {
    assert(p[0] == 1);
    p[5] = 1;
    if (p[1]) std::abort();
    p[6] = 1;
    if (p[2]) std::terminate();
  });
}
