// SPDX-License-Identifier: Apache-2.0
// Built twice, as libraries that differ in their kernel, and in where their sources say that they are.
#include <sycl/sycl.hpp>

#ifdef SECOND
#define KERNEL kernel_of_the_second
#line 20 "second.cpp"
#else
#define KERNEL kernel_of_the_first
#line 10 "first.cpp"
#endif
struct KERNEL {
  int* p;
  void operator()(sycl::id<1> i) const { p[i] += 1; }
};

extern "C" void clear(sycl::queue& q, int* p) {
  q.memset(p, 0, 64).wait();
  q.parallel_for(sycl::range<1>(16), KERNEL{p}).wait();
}
