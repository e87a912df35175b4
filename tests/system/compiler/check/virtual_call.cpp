// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <new>

int counter;
struct shape {
  virtual int area() const { return 0; }
  virtual int host_only() const { return ++counter; }
};
struct square final : shape {
  explicit square(int s) : side(s) {}
  int area() const override { return side * side; }
  int side;
};

int area_of(const shape& s) { return s.area(); }

void make(int* p, const shape* s) {
  // CHECK: virtual_call.cpp:[[@LINE-3]]:{{[0-9]+}}: error: kernel 'make(int*, shape const*)::$_0': calls a virtual function
  // CHECK: note: called from 'make(int*, shape const*)::$_0::operator()() const' at {{.*}}virtual_call.cpp:[[@LINE+1]]:
  launch([=] { p[0] = area_of(*s); });
  // The type is known; the rest of the virtual table is not looked at, though it is stored.
  launch([=] {
    square own(p[1]);
    p[0] = area_of(own);
    new (reinterpret_cast<void*>(p + 8)) square(2);
  });
}
