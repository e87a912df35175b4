// SPDX-License-Identifier: Apache-2.0
// Barriers may be in functions, whatever their attributes, but not in recursive ones.
// RUN: %lowered
// RUN: %loops
// RUN: %refused
#include "kernel.hpp"

__attribute__((noinline)) void wait_and_write(int* out, int depth) {
  local_memory<int>()[x()] = depth;
  barrier();
  out[x()] = local_memory<int>()[x() ^ 1];
}

// CHECK-LABEL: define internal void @{{.*}}5calls{{.*}}.work_group"(
// CHECK-NOT: {{ call }}
// CHECK: ret void

// LOOPS-LABEL: Loop info for function '{{.*}}5calls{{.*}}.work_group':
// LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
// LOOPS-NEXT: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
// LOOPS-NEXT: end of loops
void calls(int* out) {
  launch<1>([=] { wait_and_write(out, 3); }, all, group);
}

template <int Depth>
__attribute__((noinline)) void twice(int* out) {
  if constexpr (Depth == 0) {
    wait_and_write(out, 5);
  } else {
    twice<Depth - 1>(out);
    out += 100;
    twice<Depth - 1>(out);
  }
}

// Every way through the calls has its own barrier: what is behind one and in front of the next shares a loop.
// CHECK-LABEL: define internal void @{{.*}}6deeper{{.*}}.work_group"(
// CHECK-NOT: {{ call }}
// CHECK: ret void

// LOOPS-LABEL: Loop info for function '{{.*}}6deeper{{.*}}.work_group':
// LOOPS-COUNT-5: Parallel Loop at depth 1 containing: %{{[^,]*}}<header><latch><exiting>{{$}}
// LOOPS-NOT: Loop at depth
// LOOPS: end of loops
void deeper(int* out) {
  launch<1>([=] { twice<2>(out); }, all, group);
}

// Recursion without a barrier is no matter.
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// CHECK-LABEL: define internal void @{{.*}}9recursion{{.*}}.work_group"(
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
