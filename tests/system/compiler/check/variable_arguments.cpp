// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <cstdarg>

int sum(int n, ...) {
  va_list list;
  va_start(list, n);
  int result = 0;
  for (int i = 0; i < n; ++i) result += va_arg(list, int);
  va_end(list);
  return result;
}

template <class... T>
int add(T... x) {
  return (x + ...);
}

void make(int* p) {
  // CHECK: variable_arguments.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': calls 'sum(int, ...)', which takes variable arguments
  launch([=] { p[0] = sum(2, p[1], p[2]); });
  // CHECK: error: kernel 'make(int*)::$_1': calls 'sprintf', which
  launch([=] { p[0] = __builtin_sprintf(reinterpret_cast<char*>(p), "%d %s", p[1], "x"); });
  launch([=] { p[0] = add(2, p[1], p[2]); });
}
