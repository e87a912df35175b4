// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module | FileCheck %s
// A constructor that is another one's alias on the host.
#include "kernel.hpp"

struct big {
  __attribute__((noinline)) explicit big(int* q);
  int* p;
};
big::big(int* q) : p(q) { *p = 12; }

// CHECK-NOT: = {{.*}} alias
// CHECK: store i32 12
// CHECK-NOT: @_ZN3bigC1EPi
void make(int* p) {
  launch([=] { big b(p); });
}
