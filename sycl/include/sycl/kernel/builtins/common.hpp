// SPDX-License-Identifier: Apache-2.0
// Common functions (SYCL 2020, 4.17.8), and of the integer functions (4.17.7) those of the same names.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/builtins/integer.hpp>
#include <sycl/kernel/builtins/rounding.hpp>
#include <sycl/kernel/builtins/shapes.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail::scalar {

template <class T>
constexpr T(max)(T x, T y) noexcept {
  return x < y ? y : x;
}
template <class T>
constexpr T(min)(T x, T y) noexcept {
  return y < x ? y : x;
}
template <class T>
constexpr T clamp(T x, T low, T high) noexcept {
  return (scalar::min)((scalar::max)(x, low), high);
}
template <class T>
constexpr T degrees(T radians) noexcept {
  return static_cast<T>(57.29577951308232087680) * radians;
}
template <class T>
constexpr T radians(T degrees) noexcept {
  return static_cast<T>(0.01745329251994329577) * degrees;
}
template <class T>
constexpr T mix(T x, T y, T a) noexcept {
  return x + (y - x) * a;
}
template <class T>
constexpr T step(T edge, T x) noexcept {
  return x < edge ? T(0) : T(1);
}
template <class T>
constexpr T smoothstep(T low, T high, T x) noexcept {
  const T t = scalar::clamp((x - low) / (high - low), T(0), T(1));
  return t * t * (3 - 2 * t);
}
/// 1, -1, or zero of x's sign; of NaN, zero.
template <class T>
inline T sign(T x) noexcept {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? x : T(0);
}

}  // namespace detail::scalar

// Scalars, and half in float.
#define PIANOLA_COMMON_1(name) \
  PIANOLA_SCALARS_1(name, T, static_cast<T>((detail::scalar::name)(detail::widened(x))))
#define PIANOLA_COMMON_2(name) \
  PIANOLA_SCALARS_2(           \
      name, T, static_cast<T>((detail::scalar::name)(detail::widened(x), detail::widened(y))))
#define PIANOLA_COMMON_3(name)                                                                    \
  PIANOLA_SCALARS_3(name, T,                                                                      \
                    static_cast<T>((detail::scalar::name)(detail::widened(x), detail::widened(y), \
                                                          detail::widened(z))))
#define PIANOLA_INTEGERS_2(name)                                 \
  template <class T, class U = T, class... Rest,                 \
            class R = detail::if_integer<sizeof...(Rest), T, U>> \
  constexpr R(name)(T x, T y, Rest...) noexcept {                \
    return (detail::scalar::name)(x, y);                         \
  }

PIANOLA_COMMON_2(max)
PIANOLA_INTEGERS_2(max)
PIANOLA_SEVERAL_2(max, several_numbers)
PIANOLA_SEVERAL_AND_ONE(max, several_numbers)

PIANOLA_COMMON_2(min)
PIANOLA_INTEGERS_2(min)
PIANOLA_SEVERAL_2(min, several_numbers)
PIANOLA_SEVERAL_AND_ONE(min, several_numbers)

PIANOLA_COMMON_3(clamp)
template <class T, class U = T, class V = T, class... Rest,
          class R = detail::if_integer<sizeof...(Rest), T, U, V>>
constexpr R clamp(T x, T low, T high, Rest...) noexcept {
  return detail::scalar::clamp(x, low, high);
}
PIANOLA_SEVERAL_3(clamp, several_numbers)
template <class X, detail::only_several<X> = 0, class R = detail::several_numbers<X>>
inline R clamp(const X& x, detail::element_type_t<X> low, detail::element_type_t<X> high) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = clamp(x[i], low, high);
  return result;
}

PIANOLA_COMMON_1(degrees)
PIANOLA_SEVERAL_1(degrees, several_floats)
PIANOLA_COMMON_1(radians)
PIANOLA_SEVERAL_1(radians, several_floats)
PIANOLA_COMMON_1(sign)
PIANOLA_SEVERAL_1(sign, several_floats)

PIANOLA_COMMON_3(mix)
PIANOLA_SEVERAL_3(mix, several_floats)
template <class X, class Y, detail::only_several<X> = 0, class R = detail::several_floats_2<X, Y>>
inline R mix(const X& x, const Y& y, detail::element_type_t<X> a) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = mix(x[i], y[i], a);
  return result;
}

PIANOLA_COMMON_2(step)
PIANOLA_SEVERAL_2(step, several_floats)
template <class X, detail::only_several<X> = 0, class R = detail::several_floats<X>>
inline R step(detail::element_type_t<X> edge, const X& x) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = step(edge, x[i]);
  return result;
}

PIANOLA_COMMON_3(smoothstep)
PIANOLA_SEVERAL_3(smoothstep, several_floats)
template <class X, detail::only_several<X> = 0, class R = detail::several_floats<X>>
inline R smoothstep(detail::element_type_t<X> low, detail::element_type_t<X> high,
                    const X& x) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = smoothstep(low, high, x[i]);
  return result;
}

/// Of floating-point numbers it is not in the specification, but in other implementations.
PIANOLA_SCALARS_1(abs, T, static_cast<T>(detail::scalar::fabs(detail::widened(x))))
PIANOLA_SEVERAL_1(abs, several_numbers)

#undef PIANOLA_INTEGERS_2
#undef PIANOLA_COMMON_1
#undef PIANOLA_COMMON_2
#undef PIANOLA_COMMON_3

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
