// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <cstdlib>
#include <new>

void make(int** p) {
  // CHECK: memory_allocation.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int**)::$_0': allocates memory with 'new'
  launch([=] { p[0] = new int[100]; });
  // CHECK: error: kernel 'make(int**)::$_1': frees memory with 'delete'
  launch([=] { delete p[0]; });
  // CHECK: error: kernel 'make(int**)::$_2': allocates memory with 'malloc'
  launch([=] { p[0] = static_cast<int*>(std::malloc(100)); });
  // CHECK: error: kernel 'make(int**)::$_3': frees memory with 'free'
  launch([=] { std::free(p[0]); });
  // Placement, and memory that nobody needs.
  launch([=] {
    new (p[0]) int(3);
    delete new int(4);
  });
}
