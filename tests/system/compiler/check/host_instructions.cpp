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
  // CHECK: error: kernel 'make(int*, void**)::$_2': uses 'llvm.frameaddress.p0', an instruction
  launch([=] { *q = __builtin_frame_address(0); });
  // CHECK: error: kernel 'make(int*, void**)::$_3': uses 'llvm.clear_cache', an instruction
  launch([=] { __builtin___clear_cache(static_cast<char*>(*q), static_cast<char*>(*q) + 64); });
  // CHECK: error: kernel 'make(int*, void**)::$_4': uses 'llvm.thread.pointer', an instruction
  launch([=] { *q = __builtin_thread_pointer(); });
  // CHECK: error: kernel 'make(int*, void**)::$_5': uses 'llvm.eh.sjlj.longjmp', an instruction
  launch([=] { __builtin_longjmp(q, 1); });
  // CHECK: error: kernel 'make(int*, void**)::$_6': uses 'llvm.frameaddress.p0', an instruction
  // CHECK: error: kernel 'make(int*, void**)::$_6': uses 'llvm.eh.sjlj.setjmp', an instruction
  launch([=] { *p = __builtin_setjmp(q); });
  launch([=] {
    *p = __builtin_popcount(static_cast<unsigned>(p[1])) +
         __builtin_clz(static_cast<unsigned>(p[2]));
  });
}
