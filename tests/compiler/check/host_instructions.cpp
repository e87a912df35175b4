// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <immintrin.h>

void make(int* p, void** q) {
  // CHECK: host_instructions.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(int*, void**)::$_0': uses 'llvm.x86.sse2.pause', an instruction of the host's processor
  launch([=] { _mm_pause(); });
  // CHECK: error: kernel 'make(int*, void**)::$_1': uses 'llvm.returnaddress', an instruction
  launch([=] { *q = __builtin_return_address(0); });
  launch([=] {
    *p = __builtin_popcount(static_cast<unsigned>(p[1])) +
         __builtin_clz(static_cast<unsigned>(p[2]));
  });
}
