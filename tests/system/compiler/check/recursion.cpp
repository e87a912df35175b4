// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

__attribute__((noinline)) int odd(int n, int* p);
__attribute__((noinline)) int even(int n, int* p) {
  p[n] = 1;
  return n == 0 ? 1 : odd(n - 1, p) + odd(n - 2, p);
}
int odd(int n, int* p) {
  p[n] = 2;
  return n == 0 ? 0 : even(n - 1, p) + even(n - 2, p);
}

template <int N>
int steps(int* p) {
  if constexpr (N > 0)
    return p[N] + steps<N - 1>(p);
  else
    return 0;
}

// Too much to be inlined.
template <int N>
__attribute__((always_inline)) inline void work(int* p) {
  for (int i = 0; i < 100; ++i) p[i * N] = p[i + N] / (p[i] + N) + p[2 * i] % (p[3 * i] + 7);
  for (int i = 0; i < 100; ++i) p[i + N] = p[i - N] / (p[i] + N) + p[2 * i] % (p[3 * i] + 7);
}
void second(int* p);
void first(int* p) {
  work<2>(p);
  work<3>(p);
  work<12>(p);
  work<13>(p);
  work<22>(p);
  work<23>(p);
  if (p[0]) second(p);
  if (p[1]) second(p + 1);
}
void second(int* p) {
  work<4>(p);
  work<5>(p);
  work<14>(p);
  work<15>(p);
  work<24>(p);
  work<25>(p);
  if (p[0]) first(p);
  if (p[1]) first(p + 1);
}

void make(int* p) {
  // CHECK: recursion.cpp:[[@LINE-49]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': is recursive: 'factorial(int)' calls itself
  // CHECK: note: called from 'make(int*)::$_0::operator()() const' at
  launch([=] { p[0] = factorial(p[1]); });
  // CHECK: error: kernel 'make(int*)::$_1': is recursive: '{{(odd|even)}}(int, int*)' calls
  launch([=] { p[0] = even(p[1], p); });
  // CHECK: error: kernel 'make(int*)::$_2': is recursive: '{{first|second}}(int*)' calls '{{first|second}}(int*)', which calls it again
  launch([=] { first(p); });
  launch([=] { p[0] = steps<20>(p); });
}
