// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <typeinfo>

struct base {
  virtual ~base() = default;
};
struct derived : base {
  int x = 0;
};

void make(int* p, base* b, const std::type_info** t) {
  // CHECK: error: kernel 'make({{.*}})::$_0': uses run-time type information
  launch([=] { p[0] = dynamic_cast<derived*>(b)->x; });
  // CHECK: error: kernel 'make({{.*}})::$_1': uses run-time type information
  launch([=] { *t = &typeid(derived); });
}
