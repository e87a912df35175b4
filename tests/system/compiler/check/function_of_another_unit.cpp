// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int elsewhere(int);
extern "C" void* __pianola_group_storage(unsigned long);

void make(int* p, float* f) {
  // CHECK: function_of_another_unit.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int*, float*)::$_0': calls 'elsewhere(int)', which this translation unit does not define and devices do not have
  launch([=] { p[0] = elsewhere(p[1]); });
  // CHECK: error: kernel 'make(int*, float*)::$_1': calls 'getenv', which
  launch([=] { p[0] = std::getenv("HOME") != nullptr; });
  // CHECK: error: kernel 'make(int*, float*)::$_2': calls 'exit', which
  launch([=] { std::exit(p[0]); });
  // CHECK: error: kernel 'make(int*, float*)::$_3': calls '__pianola_group_storage', which
  launch([=] { p[0] = *static_cast<int*>(__pianola_group_storage(4)); });
  // What devices have.
  launch([=] {
    f[0] = std::sin(f[1]) + std::pow(f[2], 3.5f) + std::erf(f[3]) +
           static_cast<float>(std::hypot(1.5, f[4]));
    std::memcpy(p, f, 4 * static_cast<unsigned>(p[100]));
    if (p[1] == 0) std::abort();
    std::printf("%d\n", p[2]);
  });
}
