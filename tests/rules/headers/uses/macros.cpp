// SPDX-License-Identifier: Apache-2.0
// Macros that programs have by the time that they include SYCL: of <complex.h>, of <sys/sysmacros.h>, of Windows and X11,
// and those that they define for themselves. libstdc++ undefines min and max when the first of its headers is included.
#include <algorithm>
#include <complex>
#include <limits>

#include <complex.h>
#include <sys/param.h>
#include <sys/sysmacros.h>

#undef I
#define I (not I but an imaginary number)
#undef major
#define major (not a version)
#undef minor
#define minor (not a version)
#define K (not K but a size)
#define pi 3.14
#define check(x) (not x but a check of it)
#define N 1024
#define M 16
#define T (not a type)
#define min(a, b) (not a function of ours)
#define max(a, b) (not a function of ours)

#include <sycl/sycl.hpp>

static_assert(std::is_same_v<decltype((sycl::max)(1, 2)), int>);
static_assert(N == 1024 && M == 16, "the program's macros are back");
#if !defined(I) || !defined(K) || !defined(major) || !defined(minor) || !defined(min) || \
    !defined(max)
#error "the program's macros are gone"
#endif
static_assert(
    std::is_same_v<decltype((sycl::min)(sycl::float2(1), sycl::float2(2))), sycl::float2>);

int main() {
  sycl::queue q;
  sycl::buffer<int, 1> sum{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) {
    h.parallel_for(sycl::range<1>(8), sycl::reduction(sum, h, sycl::plus<>()),
                   [=](sycl::id<1> i, auto& total) { total += static_cast<int>(i[0]); });
  });
  return sum.get_host_access()[0] - 28;
}
