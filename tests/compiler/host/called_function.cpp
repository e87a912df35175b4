// SPDX-License-Identifier: Apache-2.0
// Barriers may be in functions, whatever their attributes, but not in recursive ones.
// RUN: %lowered
// RUN: %refused
#include "kernel.hpp"

__attribute__((noinline)) void wait_and_write(int* out, int depth) {
  local_memory<int>()[x()] = depth;
  barrier();
  out[x()] = local_memory<int>()[x() ^ 1];
}

// CHECK-LABEL: define internal void @{{.*}}calls{{.*}}.work_group"(
// CHECK-NOT: call
// CHECK: item.x:
// CHECK: item.x{{[0-9]+}}:
// CHECK: ret void
void calls(int* out) {
  launch<1>([=] { wait_and_write(out, 3); }, all, group);
}

// Recursion without a barrier is no matter.
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// CHECK-LABEL: define internal void @{{.*}}recursion{{.*}}.work_group"(
// CHECK: call {{.*}}factorial
// CHECK: ret void
void recursion(int* out) {
  launch<1>([=] { out[x()] = factorial(out[x()]); }, all, group);
}

#ifdef REFUSED
void again(int* out, int depth) {
  wait_and_write(out, depth);
  // REFUSED: called_function.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'refused(int*)::$_0': a group operation, barrier or id is used in the recursive function '_Z5againPii'
  if (depth > 0) again(out, depth - 1);
}

void refused(int* out) {
  launch<1>([=] { again(out, 3); }, all, group);
}
#endif
