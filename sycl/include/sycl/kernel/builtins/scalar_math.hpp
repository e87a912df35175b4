// SPDX-License-Identifier: Apache-2.0
// The math functions (SYCL 2020, 4.17.4) of one float or double. Without branches where that lets a loop
// become vectors.
#pragma once

#include <cstdint>
#include <type_traits>

#include <pianola/runtime/log_polynomial.hpp>
#include <sycl/kernel/builtins/library.hpp>
#include <sycl/kernel/builtins/rounding.hpp>

// What g++ calls in loops, for vectors (vector_math/baseline.cpp of the runtime).
#if !defined(__clang__) && defined(__x86_64__)
#define PIANOLA_LOGARITHM_IN_RUNTIME 1
extern "C" float pianola_log_f(float x) noexcept __attribute__((const, simd("notinbranch")));
#else
#define PIANOLA_LOGARITHM_IN_RUNTIME 0
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail::scalar {

using library::acos;
using library::acosh;
using library::asin;
using library::asinh;
using library::atan;
using library::atan2;
using library::atanh;
using library::cos;
using library::cosh;
using library::erf;
using library::erfc;
using library::exp;
using library::exp2;
using library::expm1;
using library::fdim;
using library::fmod;
using library::hypot;
using library::ilogb;
using library::ldexp;
using library::log10;
using library::log1p;
using library::log2;
using library::logb;
using library::nextafter;
using library::pow;
using library::remainder;
using library::sin;
using library::sinh;
using library::tan;
using library::tanh;
using library::tgamma;

template <class T>
inline constexpr bool is_single = sizeof(T) == 4;
template <class T>
inline constexpr T half_turn = static_cast<T>(3.14159265358979323846);
template <class T>
inline constexpr T one_over_pi = static_cast<T>(0.31830988618379067154);
// By their bits: with -ffast-math clang warns of all that is known to be one of these.
template <class T>
inline constexpr T infinity = static_cast<T>(__builtin_bit_cast(float, 0x7f800000U));
template <class T>
inline constexpr T not_a_number = static_cast<T>(__builtin_bit_cast(float, 0x7fc00000U));

inline float fma(float x, float y, float z) noexcept { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) noexcept { return __builtin_fma(x, y, z); }
template <class T>
inline T mad(T a, T b, T c) noexcept {
  return a * b + c;
}

template <class T>
inline bool is_nan(T x) noexcept {
  return x != x;
}
template <class T>
inline bool is_finite(T x) noexcept {
  return fabs(x) < infinity<T>;
}

// g++ has no instruction for these two, and calls the library.
template <class T>
inline T fmin(T x, T y) noexcept {
#if defined(__clang__)
  if constexpr (is_single<T>)
    return __builtin_fminf(x, y);
  else
    return __builtin_fmin(x, y);
#else
  const bool lower = y < x, none = is_nan(x);
  return choose(lower | none, y, x);
#endif
}
template <class T>
inline T fmax(T x, T y) noexcept {
#if defined(__clang__)
  if constexpr (is_single<T>)
    return __builtin_fmaxf(x, y);
  else
    return __builtin_fmax(x, y);
#else
  const bool higher = x < y, none = is_nan(x);
  return choose(higher | none, y, x);
#endif
}

template <class T>
inline T maxmag(T x, T y) noexcept {
  const T a = fabs(x), b = fabs(y);
  return choose(a > b, x, choose(b > a, y, scalar::fmax(x, y)));
}
template <class T>
inline T minmag(T x, T y) noexcept {
  const T a = fabs(x), b = fabs(y);
  return choose(a < b, x, choose(b < a, y, scalar::fmin(x, y)));
}

template <class T>
inline T rsqrt(T x) noexcept {
  return T(1) / sqrt(x);
}

// Of three functions, the library's are not within the units of the last place that are allowed, on the CPU.

/// One step of Newton's method; in double, where the cube of a float's root does not lose much.
inline float cbrt(float x) noexcept {
  const float root = library::cbrt(x);
  if (on_device()) return root;
  const double r = root;
  const double step = (static_cast<double>(x) - r * r * r) / (3 * r * r);
  const double better = r + step;
  return static_cast<float>(choose(is_finite(step), better, r));
}
/// As above, with a cube of two parts.
inline double cbrt(double x) noexcept {
  const bool tiny = fabs(x) < 0x1p-900;
  const double y = x * choose(tiny, 0x1p300, 1.0);
  const double root = library::cbrt(y);
  const double high = __builtin_bit_cast(
      double, __builtin_bit_cast(std::uint64_t, root) & ~std::uint64_t{0xfffffffff});
  const double low = root - high;
  const double lacking =
      (y - high * high * high) - low * (3 * high * high + low * (3 * high + low));
  const double step = lacking / (3 * root * root);
  const double better = root + step;
  return choose(is_finite(step), better, root) * choose(tiny, 0x1p-100, 1.0);
}

inline double exp10(double x) noexcept { return library::exp10(x); }
inline float exp10(float x) noexcept {
#if !defined(__clang__) && defined(__AVX512F__)
  // libmvec's form for 16 floats is up to 3.8 units off, where 3 are allowed.
  return static_cast<float>(library::exp10(static_cast<double>(x)));
#else
  return library::exp10(x);
#endif
}

inline double log(double x) noexcept { return library::log(x); }
#if PIANOLA_LOGARITHM_IN_RUNTIME
inline float log(float x) noexcept { return pianola_log_f(x); }
#elif defined(__PIANOLACC__) && defined(__x86_64__)
// pianolacc knows the runtime's forms for vectors.
inline float log(float x) noexcept { return library::log(x); }
#else
/// x is 2^e (1 + f), with 1 + f between 3/4 and 3/2.
inline float log(float x) noexcept {
  if (on_device()) return library::log(x);
  const bool subnormal = x < 0x1p-126F;
  const float scaled = x * choose(subnormal, 0x1p23F, 1.0F);
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, scaled);
  const std::uint32_t from_three_quarters = bits - pianola::runtime::bits_of_three_quarters;
  const float e = static_cast<float>(static_cast<std::int32_t>(from_three_quarters) >> 23) -
                  choose(subnormal, 23.0F, 0.0F);
  const float f = __builtin_bit_cast(float, bits - (from_three_quarters & 0xff800000U)) - 1.0F;
  float near_one;
  pianola::runtime::log_near_one(f, near_one);
  const float result = e * pianola::runtime::log_of_two + near_one;
  const float above_zero = choose(x < infinity<float>, result, x);
  const float not_below = choose(x == 0, -infinity<float>, above_zero);
  return choose(x >= 0, not_below, not_a_number<float>);
}
#endif

template <class T>
inline T acospi(T x) noexcept {
  return acos(x) * one_over_pi<T>;
}
template <class T>
inline T asinpi(T x) noexcept {
  return asin(x) * one_over_pi<T>;
}
template <class T>
inline T atanpi(T x) noexcept {
  return atan(x) * one_over_pi<T>;
}
template <class T>
inline T atan2pi(T y, T x) noexcept {
  return atan2(y, x) * one_over_pi<T>;
}

/// |x| modulo 2: exact, in [0, 2).
template <class T>
inline T turns(T x) noexcept {
  const T a = fabs(x);
  return a - 2 * trunc(a * T(0.5));
}

// Both are given an angle in [0, 1/2], in units of pi: neither's argument is then beyond pi/4.
template <class T>
inline T sine_of_quarter(T a) noexcept {
  const T near_zero = sin(half_turn<T> * a), near_half = cos(half_turn<T> * (T(0.5) - a));
  return choose(a > T(0.25), near_half, near_zero);
}
template <class T>
inline T cosine_of_quarter(T a) noexcept {
  const T near_zero = cos(half_turn<T> * a), near_half = sin(half_turn<T> * (T(0.5) - a));
  return choose(a > T(0.25), near_half, near_zero);
}

template <class T>
inline T sinpi(T x) noexcept {
  const T once = turns(x);
  const bool flips = once > 1;
  const T a = once - choose(flips, T(1), T(0)), rest = 1 - a;
  const T sine = sine_of_quarter(choose(a > T(0.5), rest, a));
  const T turned = choose(flips, T(-1), T(1)) * sine;
  // The sine of whole numbers has x's sign.
  return copysign(T(1), x) * choose(sine == 0, sine, turned);
}
template <class T>
inline T cospi(T x) noexcept {
  const T once = turns(x), back = 2 - once;
  const T a = choose(once > 1, back, once), rest = 1 - a;
  const bool flips = a > T(0.5);
  const T cosine = cosine_of_quarter(choose(flips, rest, a));
  const T turned = choose(flips, T(-1), T(1)) * cosine;
  return choose(cosine == 0, cosine, turned);
}
template <class T>
inline T tanpi(T x) noexcept {
  const T once = turns(x);
  const bool second = once >= 1;
  const T turned = once - choose(second, T(1), T(0)), back = 1 - turned;
  const bool flips = turned > T(0.5);
  const T a = choose(flips, back, turned), rest = T(0.5) - a;
  const bool near_half = a > T(0.25);
  const T tangent = tan(half_turn<T> * choose(near_half, rest, a)), inverse = T(1) / tangent;
  // Zeros and poles alternate in sign.
  const bool at_zero = a == 0, at_pole = a == T(0.5);
  const bool negated = flips != (second & (at_zero | at_pole));
  return copysign(T(1), x) * choose(negated, T(-1), T(1)) * choose(near_half, inverse, tangent);
}

/// Below this, what fract rounds to.
template <class T>
inline constexpr T below_one =
    is_single<T> ? static_cast<T>(0x1.fffffep-1) : static_cast<T>(0x1.fffffffffffffp-1);

template <class T>
inline T fract(T x, T& whole) noexcept {
  whole = floor(x);
  const T part = x - whole;
  const T result = choose(part > below_one<T>, below_one<T>, part);
  // Infinities have no fraction; it and zero have x's sign.
  const bool endless = fabs(x) == infinity<T>, zero = x == 0;
  return choose(endless | zero, copysign(T(0), x), result);
}

template <class T>
inline T modf(T x, T& whole) noexcept {
  whole = trunc(x);
  return copysign(choose(fabs(x) == infinity<T>, T(0), x - whole), x);
}

template <class T>
inline T frexp(T x, int& exponent) noexcept {
  int e = 0;
  const T fraction = library::frexp(x, &e);
  exponent = e;
  return fraction;
}

template <class T>
inline T lgamma_r(T x, int& sign) noexcept {
  if (on_device()) {
    // Gamma is negative between -1 and 0, between -3 and -2, and so on.
    const T below = floor(x);
    sign = x < 0 && below != x && trunc(below * T(0.5)) * 2 != below ? -1 : 1;
    return library::lgamma(x);
  }
  int s = 1;
  const T value = library::lgamma_r(x, &s);
  sign = s;
  return value;
}
template <class T>
inline T lgamma(T x) noexcept {
  if (on_device()) return library::lgamma(x);
  int sign = 1;
  return library::lgamma_r(x, &sign);
}

template <class T>
inline T sincos(T x, T& cosine) noexcept {
  if (on_device()) {
    T s, c;
    library::sincos(x, &s, &c);
    cosine = c;
    return s;
  }
  cosine = cos(x);
  return sin(x);
}

/// `quotient`: the last seven bits of the integer nearest to x / y, and its sign.
template <class T>
inline T remquo(T x, T y, int& quotient) noexcept {
  const T rest = remainder(x, y);
  const T a = fabs(x), b = fabs(y);
  // The quotient modulo 128 is that of a number below 128 b. Where 128 b is infinite, so is a.
  const T smaller = fmod(a, b * 128);
  const T of_smaller = remainder(smaller, b);
  const T count = rint((smaller - of_smaller) / b);
  const bool exists = is_finite(a) && b > 0;  // false for NaN, too
  const int bits = exists && count > 0 ? static_cast<int>(count) & 127 : 0;
  quotient = signbit(x) != signbit(y) ? -bits : bits;
  return rest;
}

inline float pown(float x, int n) noexcept {
  // float does not hold every int. Devices have few units for double, processors take twice the time.
  if (n > -(1 << 24) && n < (1 << 24)) return pow(x, static_cast<float>(n));
  return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(n)));
}
inline double pown(double x, int n) noexcept { return pow(x, static_cast<double>(n)); }

template <class T>
inline T powr(T x, T y) noexcept {
  // 0^0, infinity^0, 1^infinity, and powers of what is not positive or no number.
  const T a = fabs(x);
  const bool is_edge = a == 0 || a == infinity<T>;
  const bool defined =
      x >= 0 && y == y && !(is_edge && y == 0) && !(x == 1 && fabs(y) == infinity<T>);
  const T power = pow(a, y);
  return defined ? power : not_a_number<T>;
}

/// Of a positive number. 1 / n is not exact: what it lacks is made good.
inline double positive_root(double x, double n) noexcept {
  const double inverse = 1.0 / n;
  const double root = pow(x, inverse);
  const double lacking = __builtin_fma(-n, inverse, 1.0) / n;
  const double correction = root * (lacking * log(x));
  return is_finite(correction) ? root + correction : root;
}
inline float positive_root(float x, double n) noexcept {
  return static_cast<float>(pow(static_cast<double>(x), 1.0 / n));
}

template <class T>
inline T rootn(T x, int n) noexcept {
  const bool odd = (n & 1) != 0;
  const T root = positive_root(fabs(x), static_cast<double>(n));
  if (n == 0 || (x < 0 && !odd)) return not_a_number<T>;
  return odd ? copysign(root, x) : root;
}

}  // namespace detail::scalar
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#undef PIANOLA_LOGARITHM_IN_RUNTIME
