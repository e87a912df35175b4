// SPDX-License-Identifier: Apache-2.0
// RUN: %accepted
// RUN: %{clang} -O2 -Werror -mllvm -pianola-targets=simulated,hip:gfx90a -c %s -o %t.o 2>&1 | count 0
// Every function of the C math library that the check allows exists on every target. (The PTX target has a test
// of its own, which needs the CUDA toolkit.)
#include <cmath>

#include "kernel.hpp"

extern "C" double roundeven(double) noexcept;
extern "C" float roundevenf(float) noexcept;
extern "C" double exp10(double) noexcept;
extern "C" float exp10f(float) noexcept;

void use(double* p, int* n, long* w) {
  *p++ = ::acos(p[1]);
  *p++ = ::acosh(p[1]);
  *p++ = ::asin(p[1]);
  *p++ = ::asinh(p[1]);
  *p++ = ::atan(p[1]);
  *p++ = ::atan2(p[6], p[7]);
  *p++ = ::atanh(p[1]);
  *p++ = ::cbrt(p[1]);
  *p++ = ::ceil(p[1]);
  *p++ = ::copysign(p[10], p[11]);
  *p++ = ::cos(p[1]);
  *p++ = ::cosh(p[1]);
  *p++ = ::erf(p[1]);
  *p++ = ::erfc(p[1]);
  *p++ = ::exp(p[1]);
  *p++ = ::exp10(p[1]);
  *p++ = ::exp2(p[1]);
  *p++ = ::expm1(p[1]);
  *p++ = ::fabs(p[1]);
  *p++ = ::fdim(p[20], p[21]);
  *p++ = ::floor(p[1]);
  *p++ = ::fma(p[1], p[2], p[3]);
  *p++ = ::fmax(p[23], p[24]);
  *p++ = ::fmin(p[24], p[25]);
  *p++ = ::fmod(p[25], p[26]);
  *p++ = ::frexp(p[1], n);
  *p++ = ::hypot(p[27], p[28]);
  *n++ = ::ilogb(p[1]);
  *p++ = ::ldexp(p[1], n[1]);
  *p++ = ::lgamma(p[1]);
  *w++ = ::llrint(p[1]);
  *w++ = ::llround(p[1]);
  *p++ = ::log(p[1]);
  *p++ = ::log10(p[1]);
  *p++ = ::log1p(p[1]);
  *p++ = ::log2(p[1]);
  *p++ = ::logb(p[1]);
  *w++ = ::lrint(p[1]);
  *w++ = ::lround(p[1]);
  *p = ::modf(p[1], p + 1);
  *p++ = ::nan("");
  *p++ = ::nearbyint(p[1]);
  *p++ = ::nextafter(p[43], p[44]);
  *p++ = ::pow(p[44], p[45]);
  *p++ = ::remainder(p[45], p[46]);
  *p++ = ::remquo(p[1], p[2], n);
  *p++ = ::rint(p[1]);
  *p++ = ::round(p[1]);
  *p++ = ::roundeven(p[1]);
  *p++ = ::scalbln(p[1], w[1]);
  *p++ = ::scalbn(p[1], n[1]);
  *p++ = ::sin(p[1]);
  ::sincos(*p, p + 1, p + 2);
  *p++ = ::sinh(p[1]);
  *p++ = ::sqrt(p[1]);
  *p++ = ::tan(p[1]);
  *p++ = ::tanh(p[1]);
  *p++ = ::tgamma(p[1]);
  *p++ = ::trunc(p[1]);
}

void use(float* p, int* n, long* w) {
  *p++ = ::acosf(p[1]);
  *p++ = ::acoshf(p[1]);
  *p++ = ::asinf(p[1]);
  *p++ = ::asinhf(p[1]);
  *p++ = ::atanf(p[1]);
  *p++ = ::atan2f(p[6], p[7]);
  *p++ = ::atanhf(p[1]);
  *p++ = ::cbrtf(p[1]);
  *p++ = ::ceilf(p[1]);
  *p++ = ::copysignf(p[10], p[11]);
  *p++ = ::cosf(p[1]);
  *p++ = ::coshf(p[1]);
  *p++ = ::erff(p[1]);
  *p++ = ::erfcf(p[1]);
  *p++ = ::expf(p[1]);
  *p++ = ::exp10f(p[1]);
  *p++ = ::exp2f(p[1]);
  *p++ = ::expm1f(p[1]);
  *p++ = ::fabsf(p[1]);
  *p++ = ::fdimf(p[20], p[21]);
  *p++ = ::floorf(p[1]);
  *p++ = ::fmaf(p[1], p[2], p[3]);
  *p++ = ::fmaxf(p[23], p[24]);
  *p++ = ::fminf(p[24], p[25]);
  *p++ = ::fmodf(p[25], p[26]);
  *p++ = ::frexpf(p[1], n);
  *p++ = ::hypotf(p[27], p[28]);
  *n++ = ::ilogbf(p[1]);
  *p++ = ::ldexpf(p[1], n[1]);
  *p++ = ::lgammaf(p[1]);
  *w++ = ::llrintf(p[1]);
  *w++ = ::llroundf(p[1]);
  *p++ = ::logf(p[1]);
  *p++ = ::log10f(p[1]);
  *p++ = ::log1pf(p[1]);
  *p++ = ::log2f(p[1]);
  *p++ = ::logbf(p[1]);
  *w++ = ::lrintf(p[1]);
  *w++ = ::lroundf(p[1]);
  *p = ::modff(p[1], p + 1);
  *p++ = ::nanf("");
  *p++ = ::nearbyintf(p[1]);
  *p++ = ::nextafterf(p[43], p[44]);
  *p++ = ::powf(p[44], p[45]);
  *p++ = ::remainderf(p[45], p[46]);
  *p++ = ::remquof(p[1], p[2], n);
  *p++ = ::rintf(p[1]);
  *p++ = ::roundf(p[1]);
  *p++ = ::roundevenf(p[1]);
  *p++ = ::scalblnf(p[1], w[1]);
  *p++ = ::scalbnf(p[1], n[1]);
  *p++ = ::sinf(p[1]);
  ::sincosf(*p, p + 1, p + 2);
  *p++ = ::sinhf(p[1]);
  *p++ = ::sqrtf(p[1]);
  *p++ = ::tanf(p[1]);
  *p++ = ::tanhf(p[1]);
  *p++ = ::tgammaf(p[1]);
  *p++ = ::truncf(p[1]);
}

void make(double* d, float* f, int* n, long* w) {
  launch([=] {
    use(d, n, w);
    use(f, n, w);
  });
}
