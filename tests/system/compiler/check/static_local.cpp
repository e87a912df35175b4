// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

int compute(int x) { return 3 * x; }

void make(int* p) {
  // CHECK: static_local.cpp:[[@LINE+2]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': has a static local variable that is initialised when it is first reached
  launch([=] {
    static int once = compute(p[1]);
    p[0] = once;
  });
}
