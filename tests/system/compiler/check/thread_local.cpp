// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

thread_local int own = 1;
extern thread_local int of_another_unit;
int compute();
thread_local int computed = compute();

void make(int* p) {
  // CHECK: thread_local.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': uses the thread_local variable 'own'
  launch([=] { p[0] = own++; });
  // CHECK: error: kernel 'make(int*)::$_1': uses the thread_local variable 'of_another_unit'
  launch([=] { p[0] = of_another_unit; });
  // CHECK: error: kernel 'make(int*)::$_2': uses the thread_local variable 'computed'
  launch([=] { p[0] = computed; });
}
