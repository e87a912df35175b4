// SPDX-License-Identifier: Apache-2.0
// The C library's functions as kernels use them: without errno, so that calls are free of side effects and,
// where the vector library (glibc's libmvec) has the function, become calls for whole vectors.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>

// g++ learns from this attribute which functions libmvec has. clang has no such attribute: pianolacc marks
// the calls itself, clang alone does so for some of the functions if asked by -fveclib=libmvec.
#if !defined(__clang__) && defined(__GNUC__) && defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define PIANOLA_HAS_VECTOR_FORM __attribute__((simd("notinbranch")))
#endif
#endif
#if !defined(PIANOLA_HAS_VECTOR_FORM)
#define PIANOLA_HAS_VECTOR_FORM
#endif

#define PIANOLA_LIBRARY_1(name, form)                                          \
  float name(float x) noexcept __asm__(#name "f") __attribute__((const)) form; \
  double name(double x) noexcept __asm__(#name) __attribute__((const)) form;
#define PIANOLA_LIBRARY_2(name, form)                                                   \
  float name(float x, float y) noexcept __asm__(#name "f") __attribute__((const)) form; \
  double name(double x, double y) noexcept __asm__(#name) __attribute__((const)) form;

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// True in kernels compiled for a device, there a constant.
inline bool on_device() noexcept {
#if defined(__PIANOLACC__)
  return __pianola_is_device() != 0;
#else
  return false;
#endif
}

namespace library {

PIANOLA_LIBRARY_1(acos, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(acosh, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(asin, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(asinh, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(atan, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(atanh, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(cbrt, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(cos, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(cosh, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(erf, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(erfc, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(exp, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(exp10, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(exp2, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(expm1, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(log, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(log10, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(log1p, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(log2, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(sin, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(sinh, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(tan, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(tanh, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_1(lgamma, )
PIANOLA_LIBRARY_1(logb, )
PIANOLA_LIBRARY_1(tgamma, )
PIANOLA_LIBRARY_2(atan2, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_2(hypot, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_2(pow, PIANOLA_HAS_VECTOR_FORM)
PIANOLA_LIBRARY_2(fdim, )
PIANOLA_LIBRARY_2(fmod, )
PIANOLA_LIBRARY_2(nextafter, )
PIANOLA_LIBRARY_2(remainder, )

int ilogb(float x) noexcept __asm__("ilogbf") __attribute__((const));
int ilogb(double x) noexcept __asm__("ilogb") __attribute__((const));
float ldexp(float x, int exponent) noexcept __asm__("ldexpf") __attribute__((const));
double ldexp(double x, int exponent) noexcept __asm__("ldexp") __attribute__((const));

float frexp(float x, int* exponent) noexcept __asm__("frexpf");
double frexp(double x, int* exponent) noexcept __asm__("frexp");
// Not on devices. Unlike lgamma it does not write a variable that all threads share.
float lgamma_r(float x, int* sign) noexcept __asm__("lgammaf_r");
double lgamma_r(double x, int* sign) noexcept __asm__("lgamma_r");
// Worth it on devices only: on the CPU there is a vector form of each of the two, but none of both.
void sincos(float x, float* sine, float* cosine) noexcept __asm__("sincosf");
void sincos(double x, double* sine, double* cosine) noexcept __asm__("sincos");

}  // namespace library
}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#undef PIANOLA_LIBRARY_1
#undef PIANOLA_LIBRARY_2
#undef PIANOLA_HAS_VECTOR_FORM
