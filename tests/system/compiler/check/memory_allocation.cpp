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
  // CHECK: error: kernel 'make(int**)::$_4': allocates memory with 'new'
  launch([=] { p[0] = new int; });
  // CHECK: error: kernel 'make(int**)::$_5': frees memory with 'delete'
  launch([=] { delete[] p[0]; });
  // CHECK: error: kernel 'make(int**)::$_6': allocates memory with 'calloc'
  launch([=] { p[0] = static_cast<int*>(std::calloc(100, 4)); });
  // CHECK: error: kernel 'make(int**)::$_7': allocates memory with 'realloc'
  launch([=] { p[0] = static_cast<int*>(std::realloc(p[0], 100)); });
  // CHECK: error: kernel 'make(int**)::$_8': allocates memory with 'aligned_alloc'
  launch([=] { p[0] = static_cast<int*>(aligned_alloc(64, 128)); });
  // CHECK: error: kernel 'make(int**)::$_9': allocates memory with 'posix_memalign'
  launch([=] { *p[1] = posix_memalign(reinterpret_cast<void**>(p), 64, 128); });
  // Placement, and memory that nobody needs.
  launch([=] {
    new (p[0]) int(3);
    delete new int(4);
  });
}
