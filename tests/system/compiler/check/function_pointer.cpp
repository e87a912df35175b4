// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

int twice(int x) { return 2 * x; }
template <class F>
int apply(F f, int x) {
  return f(x);
}
int other(int x) { return 3 * x; }

void make(int* p, int (*f)(int), int (**out)(int)) {
  // CHECK: function_pointer.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make({{.*}})::$_0': calls a function through a pointer
  launch([=] { p[0] = f(p[1]); });
  // CHECK: function_pointer.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make({{.*}})::$_1': takes the address of the function 'other(int)'
  launch([=] { *out = other; });
  // Known when the kernel is compiled.
  launch([=] { p[0] = apply(twice, p[1]) + apply([](int x) { return x - 1; }, 4); });
}
