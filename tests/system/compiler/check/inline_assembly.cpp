// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

void make(int* p) {
  // CHECK: inline_assembly.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': contains inline assembly
  launch([=] { asm volatile("incl %0" : "+m"(*p)); });
  launch([=] {
    if (!__pianola_is_device()) asm volatile("incl %0" : "+m"(*p));
  });
}
