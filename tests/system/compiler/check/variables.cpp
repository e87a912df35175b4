// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

int changes = 3;
static int seems_constant = 4;
extern const int elsewhere;
int compute();
const int computed_at_start = compute();
const int constant = 5;
constexpr double table[] = {1, 2, 3, 4};
static const char* const names[] = {"a", "b"};

void host_code() { ++seems_constant; }

void make(int* p) {
  // CHECK: variables.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int*)::$_0': uses the variable 'changes', which is not a constant
  launch([=] { changes = p[0]; });
  // CHECK: error: kernel 'make(int*)::$_1': uses the variable 'seems_constant', which is not a constant
  launch([=] { p[0] = seems_constant; });
  // CHECK: error: kernel 'make(int*)::$_2': uses the variable 'elsewhere', which this translation unit does not define
  launch([=] { p[0] = elsewhere; });
  // CHECK: error: kernel 'make(int*)::$_3': uses the variable 'computed_at_start', which is not a constant
  launch([=] { p[0] = computed_at_start; });
  // CHECK: error: kernel 'make(int*)::$_4': uses the variable 'make(int*)::$_4::operator()() const::counter', which is not a constant
  launch([=] {
    static int counter;
    p[0] = ++counter;
  });
  launch([=] {
    static const int primes[] = {2, 3, 5, 7};
    p[0] = constant + static_cast<int>(table[p[1]]) + primes[p[2]] + names[p[3]][0];
  });
}
