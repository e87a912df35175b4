// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

thread_local int own = 1;

void make(int* p) {
  // CHECK: thread_local.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': uses the thread_local variable 'own'
  launch([=] { p[0] = own++; });
}
