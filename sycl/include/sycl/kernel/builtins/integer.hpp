// SPDX-License-Identifier: Apache-2.0
// Integer functions (SYCL 2020, 4.17.7).
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/builtins/shapes.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

__extension__ typedef __int128 signed_128;
__extension__ typedef unsigned __int128 unsigned_128;

/// Holds a * b + c of any three T.
template <class T>
using wide_t =
    std::conditional_t<sizeof(T) == 8,
                       std::conditional_t<std::is_signed_v<T>, signed_128, unsigned_128>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T>
inline constexpr int bits_of = static_cast<int>(8 * sizeof(T));

template <class T>
constexpr T saturated(wide_t<T> value) noexcept {
  using limits = std::numeric_limits<T>;
  return static_cast<T>(value < wide_t<T>((limits::min)())   ? wide_t<T>((limits::min)())
                        : value > wide_t<T>((limits::max)()) ? wide_t<T>((limits::max)())
                                                             : value);
}

template <class T>
constexpr std::make_unsigned_t<T> bit_pattern(T value) noexcept {
  return static_cast<std::make_unsigned_t<T>>(value);
}

}  // namespace detail

// A function of one, two, three integers of one type: the scalar's body follows the macro.
#define PIANOLA_INTEGERS_1(name)                                                      \
  template <class T, class... Rest, class R = detail::if_integer<sizeof...(Rest), T>> \
  constexpr R name(T x, Rest...) noexcept;                                            \
  PIANOLA_SEVERAL_1(name, several_integers)                                           \
  template <class T, class... Rest, class R>                                          \
  constexpr R name(T x, Rest...) noexcept
#define PIANOLA_INTEGERS_2(name)                                 \
  template <class T, class U = T, class... Rest,                 \
            class R = detail::if_integer<sizeof...(Rest), T, U>> \
  constexpr R name(T x, T y, Rest...) noexcept;                  \
  PIANOLA_SEVERAL_2(name, several_integers)                      \
  template <class T, class, class... Rest, class R>              \
  constexpr R name(T x, T y, Rest...) noexcept
#define PIANOLA_INTEGERS_3(name)                                    \
  template <class T, class U = T, class V = T, class... Rest,       \
            class R = detail::if_integer<sizeof...(Rest), T, U, V>> \
  constexpr R name(T x, T y, T z, Rest...) noexcept;                \
  PIANOLA_SEVERAL_3(name, several_integers)                         \
  template <class T, class, class, class... Rest, class R>          \
  constexpr R name(T x, T y, T z, Rest...) noexcept

/// For several numbers: with the common functions.
template <class T, class... Rest, class R = detail::if_integer<sizeof...(Rest), T>>
constexpr R abs(T x, Rest...) noexcept {
  if constexpr (std::is_signed_v<T>)
    return x < 0 ? static_cast<T>(0U - detail::bit_pattern(x)) : x;
  else
    return x;
}

PIANOLA_INTEGERS_2(abs_diff) {
  const auto a = detail::bit_pattern(x), b = detail::bit_pattern(y);
  return static_cast<T>(x > y ? a - b : b - a);
}

PIANOLA_INTEGERS_2(add_sat) {
  if constexpr (sizeof(T) == 8 && std::is_signed_v<T>) {
    // 128 bits cost more than to look at signs.
    const T sum = static_cast<T>(detail::bit_pattern(x) + detail::bit_pattern(y));
    const T limit = x < 0 ? (std::numeric_limits<T>::min)() : (std::numeric_limits<T>::max)();
    return ((x ^ sum) & (y ^ sum)) < 0 ? limit : sum;
  } else if constexpr (sizeof(T) == 8) {
    const T sum = x + y;
    return sum < x ? (std::numeric_limits<T>::max)() : sum;
  } else {
    return detail::saturated<T>(detail::wide_t<T>(x) + y);
  }
}

PIANOLA_INTEGERS_2(sub_sat) {
  if constexpr (std::is_unsigned_v<T>) {
    return x > y ? static_cast<T>(x - y) : T(0);
  } else if constexpr (sizeof(T) == 8) {
    const T difference = static_cast<T>(detail::bit_pattern(x) - detail::bit_pattern(y));
    const T limit = x < 0 ? (std::numeric_limits<T>::min)() : (std::numeric_limits<T>::max)();
    return ((x ^ y) & (x ^ difference)) < 0 ? limit : difference;
  } else {
    return detail::saturated<T>(detail::wide_t<T>(x) - y);
  }
}

PIANOLA_INTEGERS_2(hadd) { return static_cast<T>((x & y) + ((x ^ y) >> 1)); }
PIANOLA_INTEGERS_2(rhadd) { return static_cast<T>((x | y) - ((x ^ y) >> 1)); }

PIANOLA_INTEGERS_1(clz) {
  const auto bits = detail::bit_pattern(x);
  if (bits == 0) return detail::bits_of<T>;
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_clzll(bits));
  else
    return static_cast<T>(__builtin_clz(bits) - (32 - detail::bits_of<T>));
}

PIANOLA_INTEGERS_1(ctz) {
  const auto bits = detail::bit_pattern(x);
  if (bits == 0) return detail::bits_of<T>;
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_ctzll(bits));
  else
    return static_cast<T>(__builtin_ctz(bits));
}

PIANOLA_INTEGERS_1(popcount) {
  const auto bits = detail::bit_pattern(x);
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_popcountll(bits));
  else
    return static_cast<T>(__builtin_popcount(bits));
}

PIANOLA_INTEGERS_2(mul_hi) {
  return static_cast<T>((detail::wide_t<T>(x) * y) >> detail::bits_of<T>);
}

PIANOLA_INTEGERS_3(mad_hi) {
  return static_cast<T>(detail::bit_pattern(mul_hi(x, y)) + detail::bit_pattern(z));
}

PIANOLA_INTEGERS_3(mad_sat) { return detail::saturated<T>(detail::wide_t<T>(x) * y + z); }

/// `x` to the left by `y` bits, modulo the number of bits.
PIANOLA_INTEGERS_2(rotate) {
  const auto bits = detail::bit_pattern(x);
  const int left = static_cast<int>(y & (detail::bits_of<T> - 1));
  const int right = (detail::bits_of<T> - left) & (detail::bits_of<T> - 1);
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(bits << left) | (bits >> right));
}

#undef PIANOLA_INTEGERS_1
#undef PIANOLA_INTEGERS_2
#undef PIANOLA_INTEGERS_3

// Products of 24 bits, signed or not: only of integers of 32.
namespace detail {
template <std::size_t Rest, class T, class U = T, class V = T>
using if_integer_of_32_bits = std::enable_if_t<sizeof(T) == 4, if_integer<Rest, T, U, V>>;
template <class X, class Y>
using several_of_32_bits_2 =
    std::enable_if_t<sizeof(element_type_t<X>) == 4, several_integers_2<X, Y>>;
template <class X, class Y, class Z>
using several_of_32_bits_3 =
    std::enable_if_t<sizeof(element_type_t<X>) == 4, several_integers_3<X, Y, Z>>;
}  // namespace detail

/// For numbers of 24 bits; what others give is not defined by the specification, and here their product.
template <class T, class U = T, class... Rest,
          class R = detail::if_integer_of_32_bits<sizeof...(Rest), T, U>>
constexpr R mul24(T x, T y, Rest...) noexcept {
  return static_cast<T>(detail::bit_pattern(x) * detail::bit_pattern(y));
}
PIANOLA_SEVERAL_2(mul24, several_of_32_bits)
template <class T, class U = T, class V = T, class... Rest,
          class R = detail::if_integer_of_32_bits<sizeof...(Rest), T, U, V>>
constexpr R mad24(T x, T y, T z, Rest...) noexcept {
  return static_cast<T>(detail::bit_pattern(x) * detail::bit_pattern(y) + detail::bit_pattern(z));
}
PIANOLA_SEVERAL_3(mad24, several_of_32_bits)

namespace detail {
template <class High, bool Integer = is_integer_scalar_v<High> && (sizeof(High) < 8)>
struct upsampling {};
template <class High>
struct upsampling<High, true> {
  using low = std::make_unsigned_t<High>;
  using wide = integers_of_size<2 * sizeof(High)>;
  using type = std::conditional_t<std::is_signed_v<High>, typename wide::with_sign,
                                  typename wide::without_sign>;
};
/// The integer of twice High's bits, if Low is High's unsigned sibling.
template <class High, class Low>
using upsampled = std::enable_if_t<std::is_same_v<Low, typename upsampling<High>::low>,
                                   typename upsampling<High>::type>;
template <class High, class Low>
using several_upsampled = std::enable_if_t<
    is_several_v<High> &&
        std::is_same_v<value_type_of_t<Low>,
                       with_element_t<High, typename upsampling<element_type_t<High>>::low>>,
    with_element_t<High, typename upsampling<element_type_t<High>>::type>>;
}  // namespace detail

template <class High, class Low, class R = detail::upsampled<High, Low>>
constexpr R upsample(High high, Low low) noexcept {
  using bits = std::make_unsigned_t<R>;
  return static_cast<R>(static_cast<bits>(static_cast<bits>(high) << detail::bits_of<High>) | low);
}
template <class High, class Low, class R = detail::several_upsampled<High, Low>>
inline R upsample(const High& high, const Low& low) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = upsample(high[i], low[i]);
  return result;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
