// SPDX-License-Identifier: Apache-2.0
// Math functions (SYCL 2020, 4.17.4), of scalars and, element by element, of vec, swizzles and marray.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/builtins/scalar_math.hpp>
#include <sycl/kernel/builtins/shapes.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

PIANOLA_FLOATS_1(acos)
PIANOLA_FLOATS_1(acosh)
PIANOLA_FLOATS_1(acospi)
PIANOLA_FLOATS_1(asin)
PIANOLA_FLOATS_1(asinh)
PIANOLA_FLOATS_1(asinpi)
PIANOLA_FLOATS_1(atan)
PIANOLA_FLOATS_2(atan2)
PIANOLA_FLOATS_2(atan2pi)
PIANOLA_FLOATS_1(atanh)
PIANOLA_FLOATS_1(atanpi)
PIANOLA_FLOATS_1(cbrt)
PIANOLA_FLOATS_1(ceil)
PIANOLA_FLOATS_2(copysign)
PIANOLA_FLOATS_1(cos)
PIANOLA_FLOATS_1(cosh)
PIANOLA_FLOATS_1(cospi)
PIANOLA_FLOATS_1(erf)
PIANOLA_FLOATS_1(erfc)
PIANOLA_FLOATS_1(exp)
PIANOLA_FLOATS_1(exp10)
PIANOLA_FLOATS_1(exp2)
PIANOLA_FLOATS_1(expm1)
PIANOLA_FLOATS_1(fabs)
PIANOLA_FLOATS_2(fdim)
PIANOLA_FLOATS_1(floor)
PIANOLA_FLOATS_2(fmax)
PIANOLA_SEVERAL_AND_ONE(fmax, several_floats)
PIANOLA_FLOATS_2(fmin)
PIANOLA_SEVERAL_AND_ONE(fmin, several_floats)
PIANOLA_FLOATS_2(fmod)
PIANOLA_FLOATS_2(hypot)
PIANOLA_FLOATS_1(lgamma)
PIANOLA_FLOATS_1(log)
PIANOLA_FLOATS_1(log10)
PIANOLA_FLOATS_1(log1p)
PIANOLA_FLOATS_1(log2)
PIANOLA_FLOATS_1(logb)
PIANOLA_FLOATS_3(mad)
PIANOLA_FLOATS_2(maxmag)
PIANOLA_FLOATS_2(minmag)
PIANOLA_FLOATS_2(pow)
PIANOLA_FLOATS_2(powr)
PIANOLA_FLOATS_2(remainder)
PIANOLA_FLOATS_1(rint)
PIANOLA_FLOATS_1(round)
PIANOLA_FLOATS_1(rsqrt)
PIANOLA_FLOATS_1(sin)
PIANOLA_FLOATS_1(sinh)
PIANOLA_FLOATS_1(sinpi)
PIANOLA_FLOATS_1(sqrt)
PIANOLA_FLOATS_1(tan)
PIANOLA_FLOATS_1(tanh)
PIANOLA_FLOATS_1(tanpi)
PIANOLA_FLOATS_1(tgamma)
PIANOLA_FLOATS_1(trunc)

namespace detail {

/// The sum, exact but for a last bit that tells on which side the exact one lies: rounded to a type of far fewer digits it
/// is what the exact sum would be.
inline double sum_for_rounding(double a, double b) noexcept {
  const double sum = a + b;
  const double of_a = sum - b, of_b = sum - of_a;
  const double lost = (a - of_a) + (b - of_b);
  std::int64_t bits = __builtin_bit_cast(std::int64_t, sum);
  if (lost != 0 && scalar::is_finite(sum) && (bits & 1) == 0)
    bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return __builtin_bit_cast(double, bits);
}

/// Rounded once.
inline half fused(half x, half y, half z) noexcept {
  return half(sum_for_rounding(static_cast<double>(static_cast<float>(x)) * static_cast<float>(y),
                               static_cast<double>(static_cast<float>(z))));
}
inline float fused(float x, float y, float z) noexcept { return scalar::fma(x, y, z); }
inline double fused(double x, double y, double z) noexcept { return scalar::fma(x, y, z); }

inline half after(half x, half towards) noexcept {
  if (scalar::is_nan(static_cast<float>(x)) || scalar::is_nan(static_cast<float>(towards)))
    return half(scalar::not_a_number<float>);
  const float from = static_cast<float>(x), to = static_cast<float>(towards);
  if (from == to) return towards;
  std::uint16_t bits = __builtin_bit_cast(std::uint16_t, x);
  if (from == 0)
    bits = to > 0 ? 1 : 0x8001;
  else
    bits = static_cast<std::uint16_t>((to > from) == (from > 0) ? bits + 1 : bits - 1);
  return __builtin_bit_cast(half, bits);
}
inline float after(float x, float towards) noexcept { return scalar::nextafter(x, towards); }
inline double after(double x, double towards) noexcept { return scalar::nextafter(x, towards); }

}  // namespace detail

PIANOLA_SCALARS_3(fma, T, detail::fused(x, y, z))
PIANOLA_SEVERAL_3(fma, several_floats)

PIANOLA_SCALARS_2(nextafter, T, detail::after(x, y))
PIANOLA_SEVERAL_2(nextafter, several_floats)

/// Exponents: of 0 and NaN, the smallest int; of infinities, the largest.
PIANOLA_SCALARS_1(ilogb, int, detail::scalar::ilogb(detail::widened(x)))
template <class X, class R = detail::several_exponents<X, int>>
inline R ilogb(const X& x) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = ilogb(x[i]);
  return result;
}

// A number and an int.
#define PIANOLA_FLOATS_AND_INT(name)                                                          \
  template <class T, class... Rest>                                                           \
  inline detail::if_floating<sizeof...(Rest), T, T> name(T x, int k, Rest...) noexcept {      \
    return static_cast<T>(detail::scalar::name(detail::widened(x), k));                       \
  }                                                                                           \
  template <int = 0, class X, class... Rest, class T = detail::converted<sizeof...(Rest), X>> \
  inline T name(const X& x, int k, Rest...) noexcept {                                        \
    return name(static_cast<T>(x), k);                                                        \
  }                                                                                           \
  template <class X, class Ints, class R = detail::several_floats_and_ints<X, Ints>>          \
  inline R name(const X& x, const Ints& k) noexcept {                                         \
    R result{};                                                                               \
    for (int i = 0; i < detail::element_count_v<R>; ++i)                                      \
      result[i] = name(x[i], static_cast<int>(k[i]));                                         \
    return result;                                                                            \
  }
PIANOLA_FLOATS_AND_INT(ldexp)
PIANOLA_FLOATS_AND_INT(pown)
PIANOLA_FLOATS_AND_INT(rootn)
#undef PIANOLA_FLOATS_AND_INT

template <class X, class R = detail::several_floats<X>>
inline R ldexp(const X& x, int k) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = ldexp(x[i], k);
  return result;
}

/// A quiet NaN that carries the code's low bits.
inline float nan(unsigned int code) noexcept {
  return __builtin_bit_cast(float, 0x7fc00000U | (static_cast<std::uint32_t>(code) & 0x3fffffU));
}
inline double nan(unsigned long code) noexcept {
  return __builtin_bit_cast(
      double, std::uint64_t{0x7ff8000000000000U} | (std::uint64_t{code} & 0x7ffffffffffffU));
}
inline double nan(unsigned long long code) noexcept {
  return nan(static_cast<unsigned long>(code));
}
inline half nan(unsigned short code) noexcept {
  return __builtin_bit_cast(half, static_cast<std::uint16_t>(0x7e00U | (code & 0x1ffU)));
}
template <class X,
          class Element = std::enable_if_t<detail::is_several_v<X> && detail::is_ugeninteger_v<X> &&
                                               (sizeof(detail::element_type_t<X>) > 1),
                                           detail::element_type_t<X>>>
inline auto nan(const X& code) noexcept {
  detail::with_element_t<X, decltype(nan(Element()))> result{};
  for (int i = 0; i < detail::element_count_v<X>; ++i) result[i] = nan(code[i]);
  return result;
}

// Functions that write a second result through a pointer. highest_half: what half rounds to that is above it.
#define PIANOLA_WITH_RESULT(name, highest_half)                             \
  template <class Pointer, detail::writes_to<Pointer, float> = 0>           \
  inline float name(float x, Pointer second) noexcept {                     \
    return detail::scalar::name(x, *second);                                \
  }                                                                         \
  template <class Pointer, detail::writes_to<Pointer, double> = 0>          \
  inline double name(double x, Pointer second) noexcept {                   \
    return detail::scalar::name(x, *second);                                \
  }                                                                         \
  template <class Pointer, detail::writes_to<Pointer, half> = 0>            \
  inline half name(half x, Pointer second) noexcept {                       \
    float wide = 0;                                                         \
    const float result = detail::scalar::name(static_cast<float>(x), wide); \
    *second = half(wide);                                                   \
    return half(result > (highest_half) ? (highest_half) : result);         \
  }                                                                         \
  template <class X, class Pointer, class R = detail::several_floats<X>,    \
            detail::writes_to<Pointer, R> = 0>                              \
  inline R name(const X& x, Pointer second) noexcept {                      \
    R result{}, seconds{};                                                  \
    for (int i = 0; i < detail::element_count_v<R>; ++i) {                  \
      detail::element_type_t<R> one;                                        \
      result[i] = name(x[i], &one);                                         \
      seconds[i] = one;                                                     \
    }                                                                       \
    *second = seconds;                                                      \
    return result;                                                          \
  }

// Just below one, half would round to it.
PIANOLA_WITH_RESULT(fract, 0x1.ffcp-1F)
PIANOLA_WITH_RESULT(modf, 0x1p16F)
PIANOLA_WITH_RESULT(sincos, 1.0F)
#undef PIANOLA_WITH_RESULT

// The second result is an int for each number.
#define PIANOLA_WITH_INT(name)                                              \
  template <class Pointer, detail::writes_to<Pointer, int> = 0>             \
  inline float name(float x, Pointer second) noexcept {                     \
    return detail::scalar::name(x, *second);                                \
  }                                                                         \
  template <class Pointer, detail::writes_to<Pointer, int> = 0>             \
  inline double name(double x, Pointer second) noexcept {                   \
    return detail::scalar::name(x, *second);                                \
  }                                                                         \
  template <class Pointer, detail::writes_to<Pointer, int> = 0>             \
  inline half name(half x, Pointer second) noexcept {                       \
    return half(detail::scalar::name(static_cast<float>(x), *second));      \
  }                                                                         \
  template <class X, class Pointer, class R = detail::several_floats<X>,    \
            detail::writes_to<Pointer, detail::with_element_t<R, int>> = 0> \
  inline R name(const X& x, Pointer second) noexcept {                      \
    R result{};                                                             \
    detail::with_element_t<R, int> seconds{};                               \
    for (int i = 0; i < detail::element_count_v<R>; ++i) {                  \
      int one;                                                              \
      result[i] = name(x[i], &one);                                         \
      seconds[i] = one;                                                     \
    }                                                                       \
    *second = seconds;                                                      \
    return result;                                                          \
  }
PIANOLA_WITH_INT(frexp)
PIANOLA_WITH_INT(lgamma_r)
#undef PIANOLA_WITH_INT

template <class Pointer, detail::writes_to<Pointer, int> = 0>
inline float remquo(float x, float y, Pointer quotient) noexcept {
  return detail::scalar::remquo(x, y, *quotient);
}
template <class Pointer, detail::writes_to<Pointer, int> = 0>
inline double remquo(double x, double y, Pointer quotient) noexcept {
  return detail::scalar::remquo(x, y, *quotient);
}
template <class Pointer, detail::writes_to<Pointer, int> = 0>
inline half remquo(half x, half y, Pointer quotient) noexcept {
  return half(detail::scalar::remquo(static_cast<float>(x), static_cast<float>(y), *quotient));
}
template <class X, class Y, class Pointer, class R = detail::several_floats_2<X, Y>,
          detail::writes_to<Pointer, detail::with_element_t<R, int>> = 0>
inline R remquo(const X& x, const Y& y, Pointer quotient) noexcept {
  R result{};
  detail::with_element_t<R, int> quotients{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) {
    int one;
    result[i] = remquo(x[i], y[i], &one);
    quotients[i] = one;
  }
  *quotient = quotients;
  return result;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
