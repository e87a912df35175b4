// SPDX-License-Identifier: Apache-2.0
// bfloat16 (sycl_ext_oneapi_bfloat16): the upper half of a float.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/half.hpp>
#include <sycl/kernel/narrow_float.hpp>
#include <sycl/kernel/type_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Operands beside a bfloat16: numbers that become one.
template <class T>
inline constexpr bool is_bfloat16_operand_v = is_number_v<T> || is_half_v<T>;

template <class T>
constexpr std::uint16_t bfloat16_bits(T value) noexcept {
  if constexpr (std::is_integral_v<T> || (std::is_floating_point_v<T> && sizeof(T) > sizeof(float)))
    return narrow_float<7, 127>(static_cast<double>(value));
  else
    return narrow_float<7, 127>(static_cast<float>(value));
}

}  // namespace detail

namespace ext::oneapi {

/// Converts from every arithmetic type and from half, rounding to nearest (ties to even), and to float, exactly;
/// both implicitly. Operations of a bfloat16 with another number give bfloat16.
class bfloat16 {
 public:
  bfloat16() = default;
  template <class T, std::enable_if_t<sycl::detail::is_bfloat16_operand_v<T>, int> = 0>
  constexpr bfloat16(T value) noexcept : bits_(sycl::detail::bfloat16_bits(value)) {}

  constexpr operator float() const noexcept {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits_) << 16);
  }
  constexpr operator half() const noexcept { return half(static_cast<float>(*this)); }
  constexpr explicit operator bool() const noexcept { return (bits_ & 0x7fffu) != 0; }

#define PIANOLA_BFLOAT16_ARITHMETIC(op)                                                 \
  friend constexpr bfloat16 operator op(bfloat16 a, bfloat16 b) noexcept {              \
    return bfloat16(static_cast<float>(a) op static_cast<float>(b));                    \
  }                                                                                     \
  template <class T, std::enable_if_t<sycl::detail::is_bfloat16_operand_v<T>, int> = 0> \
  friend constexpr bfloat16 operator op(bfloat16 a, T b) noexcept {                     \
    return bfloat16(static_cast<float>(a) op static_cast<float>(b));                    \
  }                                                                                     \
  template <class T, std::enable_if_t<sycl::detail::is_bfloat16_operand_v<T>, int> = 0> \
  friend constexpr bfloat16 operator op(T a, bfloat16 b) noexcept {                     \
    return bfloat16(static_cast<float>(a) op static_cast<float>(b));                    \
  }                                                                                     \
  friend constexpr bfloat16& operator op##=(bfloat16 & a, bfloat16 b) noexcept {        \
    return a = a op b;                                                                  \
  }                                                                                     \
  template <class T, std::enable_if_t<sycl::detail::is_bfloat16_operand_v<T>, int> = 0> \
  friend constexpr bfloat16& operator op##=(bfloat16 & a, T b) noexcept {               \
    return a = a op b;                                                                  \
  }                                                                                     \
  template <class T, std::enable_if_t<sycl::detail::is_bfloat16_operand_v<T>, int> = 0> \
  friend constexpr T& operator op##=(T & a, bfloat16 b) noexcept {                      \
    return a = static_cast<T>(static_cast<float>(a) op static_cast<float>(b));          \
  }

  PIANOLA_BFLOAT16_ARITHMETIC(+)
  PIANOLA_BFLOAT16_ARITHMETIC(-)
  PIANOLA_BFLOAT16_ARITHMETIC(*)
  PIANOLA_BFLOAT16_ARITHMETIC(/)
#undef PIANOLA_BFLOAT16_ARITHMETIC

#define PIANOLA_BFLOAT16_COMPARISON(op)                                                 \
  friend constexpr bool operator op(bfloat16 a, bfloat16 b) noexcept {                  \
    return static_cast<float>(a) op static_cast<float>(b);                              \
  }                                                                                     \
  template <class T, std::enable_if_t<sycl::detail::is_bfloat16_operand_v<T>, int> = 0> \
  friend constexpr bool operator op(bfloat16 a, T b) noexcept {                         \
    using wide = std::conditional_t<std::is_floating_point_v<T>, T, float>;             \
    return static_cast<wide>(static_cast<float>(a)) op static_cast<wide>(b);            \
  }                                                                                     \
  template <class T, std::enable_if_t<sycl::detail::is_bfloat16_operand_v<T>, int> = 0> \
  friend constexpr bool operator op(T a, bfloat16 b) noexcept {                         \
    using wide = std::conditional_t<std::is_floating_point_v<T>, T, float>;             \
    return static_cast<wide>(a) op static_cast<wide>(static_cast<float>(b));            \
  }

  PIANOLA_BFLOAT16_COMPARISON(==)
  PIANOLA_BFLOAT16_COMPARISON(!=)
  PIANOLA_BFLOAT16_COMPARISON(<)
  PIANOLA_BFLOAT16_COMPARISON(>)
  PIANOLA_BFLOAT16_COMPARISON(<=)
  PIANOLA_BFLOAT16_COMPARISON(>=)
#undef PIANOLA_BFLOAT16_COMPARISON

  friend constexpr bfloat16 operator+(bfloat16 a) noexcept { return a; }
  /// Changes the sign of zeros and NaNs too.
  friend constexpr bfloat16 operator-(bfloat16 a) noexcept {
    a.bits_ = static_cast<std::uint16_t>(a.bits_ ^ 0x8000u);
    return a;
  }
  friend constexpr bool operator!(bfloat16 a) noexcept { return !static_cast<bool>(a); }
  constexpr bfloat16& operator++() noexcept { return *this = *this + 1.0f; }
  constexpr bfloat16& operator--() noexcept { return *this = *this - 1.0f; }
  constexpr bfloat16 operator++(int) noexcept {
    const bfloat16 before = *this;
    ++*this;
    return before;
  }
  constexpr bfloat16 operator--(int) noexcept {
    const bfloat16 before = *this;
    --*this;
    return before;
  }

  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                      bfloat16 value) {
    out << static_cast<float>(value);
    return out;
  }
  template <class Char, class Traits>
  friend std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& in,
                                                      bfloat16& value) {
    float wide = 0;
    in >> wide;
    value = bfloat16(wide);
    return in;
  }

 private:
  std::uint16_t bits_;
};

}  // namespace ext::oneapi

namespace detail {

constexpr ext::oneapi::bfloat16 bfloat16_from_bits(std::uint16_t bits) noexcept {
  return __builtin_bit_cast(ext::oneapi::bfloat16, bits);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

/// What differs from float.
template <>
struct std::numeric_limits<sycl::ext::oneapi::bfloat16> : std::numeric_limits<float> {
  using T = sycl::ext::oneapi::bfloat16;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr T(min)() noexcept { return sycl::detail::bfloat16_from_bits(0x0080); }
  static constexpr T(max)() noexcept { return sycl::detail::bfloat16_from_bits(0x7f7f); }
  static constexpr T lowest() noexcept { return sycl::detail::bfloat16_from_bits(0xff7f); }
  static constexpr T epsilon() noexcept { return sycl::detail::bfloat16_from_bits(0x3c00); }
  static constexpr T round_error() noexcept { return sycl::detail::bfloat16_from_bits(0x3f00); }
  static constexpr T infinity() noexcept { return sycl::detail::bfloat16_from_bits(0x7f80); }
  static constexpr T quiet_NaN() noexcept { return sycl::detail::bfloat16_from_bits(0x7fc0); }
  static constexpr T signaling_NaN() noexcept { return sycl::detail::bfloat16_from_bits(0x7fa0); }
  static constexpr T denorm_min() noexcept { return sycl::detail::bfloat16_from_bits(0x0001); }
};

template <>
struct std::hash<sycl::ext::oneapi::bfloat16> {
  std::size_t operator()(sycl::ext::oneapi::bfloat16 value) const noexcept {
    return std::hash<float>()(static_cast<float>(value));
  }
};
