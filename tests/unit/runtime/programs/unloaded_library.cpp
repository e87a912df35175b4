// SPDX-License-Identifier: Apache-2.0
// Built twice, as libraries that differ in where their sources say that they are.
#include <sycl/sycl.hpp>

#ifdef SECOND
#line 20 "second.cpp"
#else
#line 10 "first.cpp"
#endif
extern "C" void clear(sycl::queue& q, int* p) { q.memset(p, 0, 64).wait(); }
