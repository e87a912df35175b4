// SPDX-License-Identifier: Apache-2.0
// Every function of the C library that kernels may call, for float and double, on every generation: code
// objects have nothing undefined, or they would not link.
// RUN: rm -rf %t && mkdir %t && %unit -fno-builtin %s > %t/called.ll && %unit %s > %t/builtin.ll
// RUN: %image<gfx906> %t/called.ll && %image<gfx90a> %t/called.ll && %image<gfx1030> %t/called.ll
// RUN: %image<gfx906> %t/builtin.ll && %image<gfx90a> %t/builtin.ll && %image<gfx1030> %t/builtin.ll
// RUN: %unit -ffast-math %s > %t/fast.ll && %image<gfx90a> -pianola-fast-math %t/fast.ll
// RUN: %unit -ffast-math %s | %image<gfx1030> -pianola-fast-math -
#include "kernels.hpp"

#define OF_ONE(name)              \
  extern "C" double name(double); \
  extern "C" float name##f(float);
#define OF_TWO(name)                      \
  extern "C" double name(double, double); \
  extern "C" float name##f(float, float);
// clang-format off
#define EACH_OF_ONE(USE)                                                                          \
  USE(acos) USE(acosh) USE(asin) USE(asinh) USE(atan) USE(atanh) USE(cbrt) USE(ceil) USE(cos)     \
  USE(cosh) USE(erf) USE(erfc) USE(exp) USE(exp10) USE(exp2) USE(expm1) USE(fabs) USE(floor)      \
  USE(lgamma) USE(log) USE(log10) USE(log1p) USE(log2) USE(logb) USE(nearbyint) USE(rint)         \
  USE(round) USE(roundeven) USE(sin) USE(sinh) USE(sqrt) USE(tan) USE(tanh) USE(tgamma)           \
  USE(trunc)
#define EACH_OF_TWO(USE)                                                                          \
  USE(atan2) USE(copysign) USE(fdim) USE(fmax) USE(fmin) USE(fmod) USE(hypot) USE(nextafter)      \
  USE(pow) USE(remainder)
// clang-format on
EACH_OF_ONE(OF_ONE)
EACH_OF_TWO(OF_TWO)

extern "C" {
double fma(double, double, double);
float fmaf(float, float, float);
double frexp(double, int*);
float frexpf(float, int*);
int ilogb(double);
int ilogbf(float);
double ldexp(double, int);
float ldexpf(float, int);
long long llrint(double);
long long llrintf(float);
long long llround(double);
long long llroundf(float);
long lrint(double);
long lrintf(float);
long lround(double);
long lroundf(float);
double modf(double, double*);
float modff(float, float*);
double nan(const char*);
float nanf(const char*);
double remquo(double, double, int*);
float remquof(float, float, int*);
double scalbln(double, long);
float scalblnf(float, long);
double scalbn(double, int);
float scalbnf(float, int);
void sincos(double, double*, double*);
void sincosf(float, float*, float*);
}

#define ADD(name) sum += name(x);
#define ADDF(name) sum += name##f(x);
#define ADD_TWO(name) sum += name(x, y);
#define ADD_TWOF(name) sum += name##f(x, y);

const void* doubles(double* p) {
  return nd_range([=](const pianola_launch&) {
    const double x = p[global_x()], y = p[global_x() + 1];
    double sum = 0, part = 0, other = 0;
    int n = 0;
    EACH_OF_ONE(ADD)
    EACH_OF_TWO(ADD_TWO)
    sum += fma(x, y, sum) + frexp(x, &n) + n + ilogb(x) + ldexp(x, n) + llrint(x) + llround(x);
    sum += lrint(x) + lround(x) + modf(x, &part) + part + remquo(x, y, &n) + n;
    sum += scalbln(x, n) + scalbn(x, n) + (x > 3 ? nan("") : 0);
    sincos(x, &part, &other);
    p[global_x()] = sum + part * other;
  });
}

const void* floats(float* p) {
  return nd_range([=](const pianola_launch&) {
    const float x = p[global_x()], y = p[global_x() + 1];
    float sum = 0, part = 0, other = 0;
    int n = 0;
    EACH_OF_ONE(ADDF)
    EACH_OF_TWO(ADD_TWOF)
    sum +=
        fmaf(x, y, sum) + frexpf(x, &n) + n + ilogbf(x) + ldexpf(x, n) + llrintf(x) + llroundf(x);
    sum += lrintf(x) + lroundf(x) + modff(x, &part) + part + remquof(x, y, &n) + n;
    sum += scalblnf(x, n) + scalbnf(x, n) + (x > 3 ? nanf("") : 0);
    sincosf(x, &part, &other);
    p[global_x()] = sum + part * other;
  });
}

// Half precision has no names in C; its functions are LLVM's.
const void* halves(_Float16* p) {
  return nd_range([=](const pianola_launch&) {
    const _Float16 x = p[global_x()];
    p[global_x()] = __builtin_elementwise_sin(x) + __builtin_elementwise_exp(x) +
                    __builtin_elementwise_log2(x) + __builtin_elementwise_sqrt(x);
  });
}
