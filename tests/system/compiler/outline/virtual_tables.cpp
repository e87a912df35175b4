// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module | FileCheck %s
// An object may hold a pointer to its virtual table; what is in the table is not compiled for devices.
#include "kernel.hpp"

#include <iostream>
#include <new>

struct base {
  virtual void of_host() { std::cout << "host"; }
  virtual ~base() { std::cout << "gone"; }
};

// CHECK: @_ZTV4base = internal {{.*}}zeroinitializer
// CHECK-NOT: cout
// CHECK-NOT: of_host
void make(int* p) {
  launch([=] { new (p) base; });
}
