// SPDX-License-Identifier: Apache-2.0
// RUN: %device_module | FileCheck %s
// Stock clang does not know that functions with barriers inside are convergent.
#include "kernel.hpp"

extern "C" __attribute__((convergent, nothrow)) void __pianola_group_barrier(unsigned scope);

template <int N>
void deep(int* p) {
  // Too much to be inlined.
  for (int i = 0; i < 100; ++i) p[i * N] = p[i + N] / (p[i] + N) + p[2 * i] % (p[3 * i] + 7);
  for (int i = 0; i < 100; ++i) p[i * N] = p[i - N] / (p[i] + N) + p[2 * i] % (p[3 * i] + 7);
  for (int i = 0; i < 100; ++i) p[i * N] = p[i * N] / (p[i] + N) + p[2 * i] % (p[3 * i] + 7);
  __pianola_group_barrier(2);
  p[N] = 5;
}

// CHECK: define {{.*}}4deepILi3EEvPi{{.*}} #[[A:[0-9]+]]
// CHECK: attributes #[[A]] = { {{.*}}convergent
void make(int* p) {
  launch([=] {
    deep<3>(p);
    deep<3>(p + 1);
    deep<3>(p + 2);
  });
}
