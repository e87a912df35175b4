// SPDX-License-Identifier: Apache-2.0
// RUN: %unit -fno-math-errno %s | %ptx<sm_75> > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_75 -o %t.cubin %t.ptx
// RUN: %unit -fmath-errno %s | %ptx<sm_75> > %t.errno.ptx
// RUN: FileCheck %s < %t.errno.ptx
// RUN: %ptxas -arch=sm_75 -o %t.cubin %t.errno.ptx
// Every math function of C, for float and double, is code of the kernel or a function of libdevice.
#include <cmath>

#include "kernel.hpp"

// CHECK-NOT: .extern

template <class T>
struct numbers {
  T* at;
  int* ints;
  long* longs;
};

template <class T>
inline __attribute__((always_inline)) void one_argument(T* a) {
  int i = 0;
  const auto put = [&](T value) { a[i++] = value; };
  put(std::acos(a[0]));
  put(std::acosh(a[0]));
  put(std::asin(a[0]));
  put(std::asinh(a[0]));
  put(std::atan(a[0]));
  put(std::atanh(a[0]));
  put(std::cbrt(a[0]));
  put(std::ceil(a[0]));
  put(std::cos(a[0]));
  put(std::cosh(a[0]));
  put(std::erf(a[0]));
  put(std::erfc(a[0]));
  put(std::exp(a[0]));
  put(std::exp2(a[0]));
  put(std::expm1(a[0]));
  put(std::fabs(a[0]));
  put(std::floor(a[0]));
  put(std::lgamma(a[0]));
  put(std::log(a[0]));
  put(std::log10(a[0]));
  put(std::log1p(a[0]));
  put(std::log2(a[0]));
  put(std::logb(a[0]));
  put(std::nearbyint(a[0]));
  put(std::rint(a[0]));
  put(std::round(a[0]));
  put(std::sin(a[0]));
  put(std::sinh(a[0]));
  put(std::sqrt(a[0]));
  put(std::tan(a[0]));
  put(std::tanh(a[0]));
  put(std::tgamma(a[0]));
  put(std::trunc(a[0]));
}

template <class T>
inline __attribute__((always_inline)) void several_arguments(T* a, int* ints, long* longs) {
  int i = 64;
  const auto put = [&](T value) { a[i++] = value; };
  put(std::atan2(a[0], a[1]));
  put(std::copysign(a[0], a[1]));
  put(std::fdim(a[0], a[1]));
  put(std::fma(a[0], a[1], a[2]));
  put(std::fmax(a[0], a[1]));
  put(std::fmin(a[0], a[1]));
  put(std::fmod(a[0], a[1]));
  put(std::hypot(a[0], a[1]));
  put(std::nextafter(a[0], a[1]));
  put(std::pow(a[0], a[1]));
  put(std::remainder(a[0], a[1]));
  put(std::ldexp(a[0], ints[0]));
  put(std::scalbn(a[0], ints[0]));
  put(std::scalbln(a[0], longs[0]));
  put(std::frexp(a[0], &ints[1]));
  put(std::modf(a[0], &a[100]));
  put(std::remquo(a[0], a[1], &ints[2]));
  ints[3] = std::ilogb(a[0]);
  longs[1] = std::lrint(a[0]);
  longs[2] = std::lround(a[0]);
  longs[3] = static_cast<long>(std::llrint(a[0]));
  longs[4] = static_cast<long>(std::llround(a[0]));
}

// CHECK-LABEL: .visible .entry
KERNEL(1, 1) of_float(const numbers<float>& k, const pianola_launch&) {
  one_argument(k.at);
  several_arguments(k.at, k.ints, k.longs);
  ::sincosf(k.at[0], &k.at[110], &k.at[111]);
  k.at[112] = ::exp10f(k.at[0]);
  k.at[113] = ::nanf("");
}

// CHECK-LABEL: .visible .entry
KERNEL(1, 1) of_double(const numbers<double>& k, const pianola_launch&) {
  one_argument(k.at);
  several_arguments(k.at, k.ints, k.longs);
  ::sincos(k.at[0], &k.at[110], &k.at[111]);
  k.at[112] = ::exp10(k.at[0]);
  k.at[113] = ::nan("");
}

// Powers with simple exponents are products and roots.
// CHECK-LABEL: .visible .entry
// CHECK: mul.rn.f64
// CHECK-NOT: call
// CHECK: ret;
KERNEL(1, 1) square(const numbers<double>& k, const pianola_launch&) {
  k.at[0] = std::pow(k.at[1], 2.0);
}
// CHECK-NOT: .extern
