// SPDX-License-Identifier: Apache-2.0
// Rounding modes (SYCL 2020, 4.14.2.4) and the conversion of one element.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/half.hpp>
#include <sycl/kernel/type_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// To nearest with ties to even, towards zero, upwards, downwards. automatic: rte of and to floating-point types. The
/// specification says "rtz for integer types" and leaves open whether it means those converted from or to; the conformance
/// suite means the former.
enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

namespace detail {

/// The neighbour of a number in a binary format, given as its bits; infinities included.
template <class Bits>
constexpr Bits next_bits(Bits bits, bool up) noexcept {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  if ((bits & static_cast<Bits>(~sign)) == 0) return up ? Bits{1} : static_cast<Bits>(sign | 1);
  const bool grow = ((bits & sign) == 0) == up;
  return static_cast<Bits>(grow ? bits + 1 : bits - 1);
}

template <class T>
constexpr T next_number(T value, bool up) noexcept {
  return __builtin_bit_cast(T, next_bits(__builtin_bit_cast(unsigned_like_t<T>, value), up));
}

/// A number of at most 64 bits, cut to the leading `digits` ones towards zero or away from it. Returned as
/// its magnitude; 0 instead of 2 to the 64th.
constexpr std::uint64_t cut_integer(std::uint64_t magnitude, int digits, bool away) noexcept {
  int length = 0;
  for (std::uint64_t rest = magnitude; rest != 0; rest >>= 1) ++length;
  if (length <= digits) return magnitude;
  const std::uint64_t unit = std::uint64_t{1} << (length - digits);
  const std::uint64_t low = magnitude & (unit - 1);
  magnitude -= low;
  return low != 0 && away ? magnitude + unit : magnitude;
}

/// Nearest, then one step back if that went the wrong way.
template <class To, class From>
constexpr To narrow_directed(From from, bool up) noexcept {
  const To nearest = static_cast<To>(from);
  const From back = static_cast<From>(nearest);
  if (up ? back < from : back > from) return next_number(nearest, up);
  return nearest;
}

template <class To, rounding_mode Mode, class From>
To convert_element(const From& from) {
  constexpr bool from_floating = is_floating_scalar_v<From>;
  constexpr bool directed =
      Mode == rounding_mode::rtz || Mode == rounding_mode::rtp || Mode == rounding_mode::rtn;
  if constexpr (std::is_same_v<From, To> || std::is_same_v<To, bool>) {
    return static_cast<To>(from);
  } else if constexpr (is_integer_scalar_v<To> && from_floating) {
    using wide = std::conditional_t<is_double_v<From>, double, float>;
    const wide value = static_cast<wide>(from);
    constexpr bool nearest = Mode == rounding_mode::rte || Mode == rounding_mode::automatic;
    if constexpr (is_double_v<From>) {
      if constexpr (nearest) return static_cast<To>(__builtin_rint(value));
      if constexpr (Mode == rounding_mode::rtp) return static_cast<To>(__builtin_ceil(value));
      if constexpr (Mode == rounding_mode::rtn) return static_cast<To>(__builtin_floor(value));
    } else {
      if constexpr (nearest) return static_cast<To>(__builtin_rintf(value));
      if constexpr (Mode == rounding_mode::rtp) return static_cast<To>(__builtin_ceilf(value));
      if constexpr (Mode == rounding_mode::rtn) return static_cast<To>(__builtin_floorf(value));
    }
    return static_cast<To>(value);
  } else if constexpr (is_floating_scalar_v<To> && from_floating && sizeof(To) < sizeof(From) &&
                       directed) {
    const bool up =
        Mode == rounding_mode::rtp || (Mode == rounding_mode::rtz && from < static_cast<From>(0));
    return narrow_directed<To>(from, up);
  } else if constexpr (is_half_v<To> && is_integer_scalar_v<From> && directed) {
    // Twice in the same direction is once.
    return convert_element<To, Mode>(convert_element<float, Mode>(from));
  } else if constexpr (is_floating_scalar_v<To> && is_integer_scalar_v<From> && directed) {
    const bool negative = from < 0;
    const std::uint64_t bits = static_cast<std::uint64_t>(from);
    const bool away = negative ? Mode == rounding_mode::rtn : Mode == rounding_mode::rtp;
    const std::uint64_t magnitude =
        cut_integer(negative ? 0 - bits : bits, std::numeric_limits<To>::digits, away);
    const To value =
        magnitude == 0 && bits != 0 ? static_cast<To>(0x1p64) : static_cast<To>(magnitude);
    return negative ? -value : value;
  } else {
    return static_cast<To>(from);
  }
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
