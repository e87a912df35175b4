// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module | FileCheck %s
// What is behind a test for the host is gone, whatever the test looks like, and with it what it called.
#include "kernel.hpp"

#include <stdexcept>

inline bool on_device() { return __pianola_is_device() != 0; }
int host_function(int x) { throw std::runtime_error("host"); }

// CHECK-LABEL: define {{.*}} @{{"?}}_ZN7pianola4glue11kernel_body{{.*}}make
// CHECK-NOT: br
// CHECK-NOT: call
// CHECK: store i32 7
// CHECK: ret void
// CHECK-NOT: define
// CHECK-NOT: declare
void make(int* p) {
  launch([=] {
    if (!__pianola_is_device()) host_function(1);
    const bool device = on_device();
    *p = device ? 7 : host_function(2);
    if (!on_device()) host_function(3);
  });
}
