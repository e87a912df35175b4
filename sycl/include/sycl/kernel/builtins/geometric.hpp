// SPDX-License-Identifier: Apache-2.0
// Geometric functions (SYCL 2020, 4.17.9): of two, three or four elements; of scalars where that makes sense.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/builtins/native.hpp>
#include <sycl/kernel/builtins/scalar_math.hpp>
#include <sycl/kernel/builtins/shapes.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class X>
inline constexpr bool is_point_v =
    is_several_v<X> && is_genfloat_v<X> && element_count_v<X> >= 2 && element_count_v<X> <= 4;
template <class X>
using point = std::enable_if_t<is_point_v<X>, value_type_of_t<X>>;
template <class X, class Y>
using two_points = std::enable_if_t<is_point_v<X> && are_alike_v<X, Y>, value_type_of_t<X>>;
/// float and half: what the fast functions take.
template <class T, class U = T>
using fast_scalar = std::enable_if_t<!is_double_v<T>, if_floating<0, T, T, U>>;
template <class X>
using fast_point = std::enable_if_t<!is_genfloatd_v<X>, point<X>>;
template <class X, class Y>
using two_fast_points = std::enable_if_t<!is_genfloatd_v<X>, two_points<X, Y>>;
template <class X, class Y>
using two_crossed = std::enable_if_t<is_point_v<X> && element_count_v<X> != 2 && are_alike_v<X, Y>,
                                     value_type_of_t<X>>;

/// half is computed in float.
template <class X>
using geometric_t = std::conditional_t<is_double_v<element_type_t<X>>, double, float>;

template <class X, class Y>
inline geometric_t<X> sum_of_products(const X& x, const Y& y) noexcept {
  using T = geometric_t<X>;
  T sum = static_cast<T>(x[0]) * static_cast<T>(y[0]);
  for (int i = 1; i < element_count_v<X>; ++i) sum += static_cast<T>(x[i]) * static_cast<T>(y[i]);
  return sum;
}

/// A power of two that brings numbers whose largest magnitude is `largest` to where squares neither overflow
/// nor vanish.
template <class T>
inline T square_scale(T largest) noexcept {
  constexpr T high = sizeof(T) == 4 ? T(0x1p60F) : T(0x1p500);
  constexpr T low = sizeof(T) == 4 ? T(0x1p-50F) : T(0x1p-450);
  constexpr T down = sizeof(T) == 4 ? T(0x1p-70F) : T(0x1p-530);
  constexpr T up = sizeof(T) == 4 ? T(0x1p100F) : T(0x1p600);
  return largest > high ? down : largest < low ? up : T(1);
}

template <class X>
inline geometric_t<X> largest_magnitude(const X& x) noexcept {
  geometric_t<X> largest = 0;
  for (int i = 0; i < element_count_v<X>; ++i) {
    const geometric_t<X> a = scalar::fabs(static_cast<geometric_t<X>>(x[i]));
    largest = a > largest ? a : largest;
  }
  return largest;
}

template <class X>
inline geometric_t<X> euclidean_length(const X& x) noexcept {
  using T = geometric_t<X>;
  const T scale = square_scale(largest_magnitude(x));
  T sum = 0;
  for (int i = 0; i < element_count_v<X>; ++i) {
    const T scaled = static_cast<T>(x[i]) * scale;
    sum += scaled * scaled;
  }
  return scalar::sqrt(sum) / scale;
}

template <class X>
inline value_type_of_t<X> direction(const X& x) noexcept {
  using T = geometric_t<X>;
  const T largest = largest_magnitude(x);
  const bool endless = largest == scalar::infinity<T>;
  const T scale = square_scale(largest);
  T scaled[element_count_v<X>];
  T sum = 0;
  for (int i = 0; i < element_count_v<X>; ++i) {
    const T element = static_cast<T>(x[i]);
    // Next to an infinite element, finite ones do not count.
    const T counted = scalar::fabs(element) == largest ? T(1)
                      : scalar::is_nan(element)        ? element
                                                       : 0;
    scaled[i] = endless ? scalar::copysign(counted, element) : element * scale;
    sum += scaled[i] * scaled[i];
  }
  const T length = scalar::sqrt(sum);
  value_type_of_t<X> result{};
  for (int i = 0; i < element_count_v<X>; ++i)
    result[i] = static_cast<element_type_t<X>>(sum == 0 ? scaled[i] : scaled[i] / length);
  return result;
}

template <class X, class Y>
inline value_type_of_t<X> difference(const X& x, const Y& y) noexcept {
  value_type_of_t<X> result{};
  for (int i = 0; i < element_count_v<X>; ++i)
    result[i] = static_cast<element_type_t<X>>(x[i] - y[i]);
  return result;
}

template <class T>
inline T direction_of_scalar(T x) noexcept {
  return x == 0 || scalar::is_nan(x) ? x : scalar::copysign(T(1), x);
}

}  // namespace detail

/// Of four elements, the last of the result is 0.
template <class X, class Y, class R = detail::two_crossed<X, Y>>
inline R cross(const X& x, const Y& y) noexcept {
  using T = detail::geometric_t<X>;
  using E = detail::element_type_t<R>;
  R result{};
  for (int i = 0; i < 3; ++i) {
    const int j = i < 2 ? i + 1 : 0, k = i < 1 ? 2 : i - 1;
    result[i] = static_cast<E>(static_cast<T>(x[j]) * static_cast<T>(y[k]) -
                               static_cast<T>(x[k]) * static_cast<T>(y[j]));
  }
  if constexpr (detail::element_count_v<R> == 4) result[3] = E(0);
  return result;
}

PIANOLA_SCALARS_2(dot, T, x* y)
template <class X, class Y, class R = detail::two_points<X, Y>>
inline detail::element_type_t<R> dot(const X& x, const Y& y) noexcept {
  return static_cast<detail::element_type_t<R>>(detail::sum_of_products(x, y));
}

/// Neither overflows nor underflows on the way to a result that does not.
PIANOLA_SCALARS_1(length, T, static_cast<T>(detail::scalar::fabs(detail::widened(x))))
template <class X, class R = detail::point<X>>
inline detail::element_type_t<R> length(const X& x) noexcept {
  return static_cast<detail::element_type_t<R>>(detail::euclidean_length(x));
}

PIANOLA_SCALARS_2(distance, T, length(static_cast<T>(x - y)))
template <class X, class Y, class R = detail::two_points<X, Y>>
inline detail::element_type_t<R> distance(const X& x, const Y& y) noexcept {
  return length(detail::difference(x, y));
}

/// Zero stays zero.
PIANOLA_SCALARS_1(normalize, T, static_cast<T>(detail::direction_of_scalar(detail::widened(x))))
template <class X, class R = detail::point<X>>
inline R normalize(const X& x) noexcept {
  return detail::direction(x);
}

/// The fast ones take no care of squares that overflow or vanish.
inline float fast_length(float x) noexcept { return detail::scalar::fabs(x); }
inline half fast_length(half x) noexcept { return length(x); }
template <class T>
inline detail::fast_scalar<T> fast_length(T x) noexcept {
  return fast_length(x);
}
template <class X, class R = detail::fast_point<X>>
inline detail::element_type_t<R> fast_length(const X& x) noexcept {
  return static_cast<detail::element_type_t<R>>(native::sqrt(detail::sum_of_products(x, x)));
}

inline float fast_distance(float x, float y) noexcept { return distance(x, y); }
inline half fast_distance(half x, half y) noexcept { return distance(x, y); }
template <class T, class U = T>
inline detail::fast_scalar<T, U> fast_distance(T x, T y) noexcept {
  return fast_distance(x, y);
}
template <class X, class Y, class R = detail::two_fast_points<X, Y>>
inline detail::element_type_t<R> fast_distance(const X& x, const Y& y) noexcept {
  return fast_length(detail::difference(x, y));
}

inline float fast_normalize(float x) noexcept { return normalize(x); }
inline half fast_normalize(half x) noexcept { return normalize(x); }
template <class T>
inline detail::fast_scalar<T> fast_normalize(T x) noexcept {
  return fast_normalize(x);
}
template <class X, class R = detail::fast_point<X>>
inline R fast_normalize(const X& x) noexcept {
  const float squared = detail::sum_of_products(x, x);
  const float factor = squared == 0 ? 1.0F : native::rsqrt(squared);
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i)
    result[i] = static_cast<detail::element_type_t<R>>(static_cast<float>(x[i]) * factor);
  return result;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
