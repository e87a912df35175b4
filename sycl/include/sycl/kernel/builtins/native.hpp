// SPDX-License-Identifier: Apache-2.0
// native:: and half_precision:: (SYCL 2020, 4.17.5, 4.17.6): functions of float alone, faster and less precise where
// the device has instructions for that. The CPU has none: there they are the ordinary functions.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/builtins/scalar_math.hpp>
#include <sycl/kernel/builtins/shapes.hpp>

#if defined(__PIANOLACC__)
extern "C" {
// In device code: the approximations that the device has.
float __pianola_native_sin(float x) __attribute__((const, nothrow));
float __pianola_native_cos(float x) __attribute__((const, nothrow));
float __pianola_native_exp2(float x) __attribute__((const, nothrow));
float __pianola_native_log2(float x) __attribute__((const, nothrow));
float __pianola_native_sqrt(float x) __attribute__((const, nothrow));
float __pianola_native_rsqrt(float x) __attribute__((const, nothrow));
float __pianola_native_recip(float x) __attribute__((const, nothrow));
}
#define PIANOLA_ON_DEVICE(expression) \
  if (on_device()) return expression;
#else
#define PIANOLA_ON_DEVICE(expression)
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail::native_scalar {

inline float sin(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_sin(x))
  return library::sin(x);
}
inline float cos(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_cos(x))
  return library::cos(x);
}
inline float tan(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_sin(x) * __pianola_native_recip(__pianola_native_cos(x)))
  return library::tan(x);
}
inline float exp2(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_exp2(x))
  return library::exp2(x);
}
inline float exp(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_exp2(x * 1.44269504F))
  return library::exp(x);
}
inline float exp10(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_exp2(x * 3.32192809F))
  return library::exp10(x);
}
inline float log2(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_log2(x))
  return library::log2(x);
}
inline float log(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_log2(x) * 0.693147181F)
  return scalar::log(x);
}
inline float log10(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_log2(x) * 0.301029996F)
  return library::log10(x);
}
inline float powr(float x, float y) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_exp2(y * __pianola_native_log2(x)))
  return library::pow(x, y);
}
inline float sqrt(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_sqrt(x))
  return scalar::sqrt(x);
}
inline float rsqrt(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_rsqrt(x))
  return 1.0F / scalar::sqrt(x);
}
inline float recip(float x) noexcept {
  PIANOLA_ON_DEVICE(__pianola_native_recip(x))
  return 1.0F / x;
}
inline float divide(float x, float y) noexcept {
  PIANOLA_ON_DEVICE(x * __pianola_native_recip(y))
  return x / y;
}
inline float tanh(float x) noexcept {
  // 1 - 2 / (exp(2x) + 1), which both infinities of the exponential suit.
  PIANOLA_ON_DEVICE(1.0F -
                    2.0F * __pianola_native_recip(__pianola_native_exp2(x * 2.88539008F) + 1.0F))
  return library::tanh(x);
}

}  // namespace detail::native_scalar

/// Rounded correctly or nearly so, on devices too: what these may lose, 8192 units in the last place, is
/// gained back by no device this library knows.
namespace detail::half_scalar {

using library::cos;
using library::exp;
using library::exp10;
using library::exp2;
using library::log10;
using library::log2;
using library::sin;
using library::tan;
using scalar::log;
using scalar::powr;
using scalar::rsqrt;
using scalar::sqrt;
inline float recip(float x) noexcept { return 1.0F / x; }
inline float divide(float x, float y) noexcept { return x / y; }

}  // namespace detail::half_scalar

#define PIANOLA_SINGLES_1(name, how)                                   \
  inline float name(float x) noexcept { return detail::how::name(x); } \
  PIANOLA_SEVERAL_1(name, several_single_floats)
#define PIANOLA_SINGLES_2(name, how)                                               \
  inline float name(float x, float y) noexcept { return detail::how::name(x, y); } \
  PIANOLA_SEVERAL_2(name, several_single_floats)
#define PIANOLA_SINGLES(how)     \
  PIANOLA_SINGLES_1(cos, how)    \
  PIANOLA_SINGLES_2(divide, how) \
  PIANOLA_SINGLES_1(exp, how)    \
  PIANOLA_SINGLES_1(exp2, how)   \
  PIANOLA_SINGLES_1(exp10, how)  \
  PIANOLA_SINGLES_1(log, how)    \
  PIANOLA_SINGLES_1(log2, how)   \
  PIANOLA_SINGLES_1(log10, how)  \
  PIANOLA_SINGLES_2(powr, how)   \
  PIANOLA_SINGLES_1(recip, how)  \
  PIANOLA_SINGLES_1(rsqrt, how)  \
  PIANOLA_SINGLES_1(sin, how)    \
  PIANOLA_SINGLES_1(sqrt, how)   \
  PIANOLA_SINGLES_1(tan, how)

namespace native {
PIANOLA_SINGLES(native_scalar)
}
namespace half_precision {
PIANOLA_SINGLES(half_scalar)
}

#undef PIANOLA_SINGLES
#undef PIANOLA_SINGLES_1
#undef PIANOLA_SINGLES_2
#undef PIANOLA_ON_DEVICE

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
