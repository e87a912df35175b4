// SPDX-License-Identifier: Apache-2.0
// RUN: not %{clang} -I%S/../check -mllvm -pianola-targets=simulated -c %s -o %t.o 2>&1 | FileCheck %s
// The host may have changed it before the kernel runs: its initial value is not taken, here to prove a throw dead.
#include "kernel.hpp"

static int limit = 3;
void set_limit(int x) { limit = x; }

// CHECK: error: kernel 'make(int*)::$_0': uses the variable 'limit'
// CHECK: error: kernel 'make(int*)::$_0': throws an exception
void make(int* p) {
  launch([=] {
    if (limit != 3) throw 1;
    *p = limit;
  });
}
