// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// Every kernel and every reason is reported, each reason once per kernel however often it occurs.
#include "kernel.hpp"

int counter;
__attribute__((noinline)) int fails(int* p) {
  counter += p[0];
  counter += p[1];
  if (p[0] > 1) throw 1;
  if (p[1] > 1) throw 2;
  return counter;
}

void make(int* p) {
  // CHECK-DAG: error: kernel 'make(int*)::$_0': uses the variable 'counter'
  // CHECK-DAG: error: kernel 'make(int*)::$_0': throws an exception
  // CHECK-DAG: error: kernel 'make(int*)::$_0': contains inline assembly
  launch([=] {
    p[0] = fails(p) + fails(p + 1);
    asm volatile("nop");
  });
  // CHECK-DAG: error: kernel 'make(int*)::$_1': uses the variable 'counter'
  // CHECK-DAG: error: kernel 'make(int*)::$_1': throws an exception
  launch([=] { p[0] = fails(p + 2); });
}
// CHECK: 5 errors generated.
