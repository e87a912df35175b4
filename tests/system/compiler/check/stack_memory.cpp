// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

void fill(int* x, int n) {
  for (int i = 0; i < n; ++i) x[i] = i;
}

void make(int* p) {
  // CHECK: stack_memory.cpp:[[@LINE+2]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': takes stack memory of a size that is not known at compile time (variable-length array or alloca)
  launch([=] {
    int* x = static_cast<int*>(__builtin_alloca(static_cast<unsigned>(p[0])));
    fill(x, p[0]);
    p[1] = x[p[2]];
  });
  launch([=] {
    for (int n = 0; n < p[0]; ++n) {
      int x[16];
      fill(x, 16);
      p[1] += x[p[2]];
    }
  });
}
