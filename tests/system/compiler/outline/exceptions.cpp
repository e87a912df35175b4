// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module | FileCheck %s
// Handlers are gone; destructors run where control leaves a scope in the ordinary way.
#include "kernel.hpp"

#include <cstdio>

struct guard {
  ~guard() { *p = 1; }
  int* p;
};

// CHECK-LABEL: define {{.*}} @{{"?}}_ZN7pianola4glue11kernel_body
// CHECK-NOT: invoke
// CHECK-NOT: landingpad
// CHECK: call i32 (ptr, ...) @printf
// CHECK: store i32 1
// CHECK-NOT: store i32 2
// CHECK: ret void
// CHECK-NOT: __cxa
void make(int* p) {
  launch([=] {
    try {
      guard g{p};
      std::printf("%d\n", *p);
    } catch (...) {
      *p = 2;
    }
  });
}
