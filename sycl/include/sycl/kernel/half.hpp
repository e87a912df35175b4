// SPDX-License-Identifier: Apache-2.0
// half (SYCL 2020, 4.14.1): IEEE 754 binary16.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/narrow_float.hpp>
#include <sycl/kernel/type_traits.hpp>

#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || __GNUC__ >= 13)
#define PIANOLA_HAS_FLOAT16 1
#else
#define PIANOLA_HAS_FLOAT16 0
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

#if PIANOLA_HAS_FLOAT16
template <class T>
inline constexpr bool is_native_float16_v = std::is_same_v<T, _Float16>;
#else
template <class T>
inline constexpr bool is_native_float16_v = false;
#endif

/// What half and bfloat16 are computed with: types of the language.
template <class T>
inline constexpr bool is_number_v =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || is_native_float16_v<T>;

/// Type of an operation of half with a T: integers do not widen it, floating-point types do.
template <class T>
using half_result_t = std::conditional_t<std::is_floating_point_v<T>, T, half>;

constexpr float half_to_float(std::uint16_t bits) noexcept {
#if PIANOLA_HAS_FLOAT16
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  std::uint32_t wide = magnitude << 13;
  if (magnitude >= 0x7c00u)
    wide |= 0x7f800000u;
  else if (magnitude >= 0x0400u)
    wide += 0x38000000u;
  else
    wide = __builtin_bit_cast(std::uint32_t, static_cast<float>(magnitude) * 0x1p-24f);
  return __builtin_bit_cast(float, sign | wide);
#endif
}

template <class T>
constexpr std::uint16_t half_bits(T value) noexcept {
#if PIANOLA_HAS_FLOAT16
  return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(value));
#else
  if constexpr (std::is_floating_point_v<T> && sizeof(T) > sizeof(float))
    return narrow_float<10, 15>(static_cast<double>(value));
  else  // exact, or infinite in both formats
    return narrow_float<10, 15>(static_cast<float>(value));
#endif
}

}  // namespace detail

namespace detail::half_impl {

/// Converts from every arithmetic type, rounding to nearest (ties to even), and to float, exactly; both
/// implicitly. half with half or with an integer gives half; with float or double gives that type.
class half {
 public:
  half() = default;
  template <class T, std::enable_if_t<detail::is_number_v<T>, int> = 0>
  constexpr half(T value) noexcept : bits_(detail::half_bits(value)) {}

  constexpr operator float() const noexcept { return detail::half_to_float(bits_); }

#define PIANOLA_HALF_ARITHMETIC(op)                                                              \
  friend constexpr half operator op(half a, half b) noexcept {                                   \
    return half(static_cast<float>(a) op static_cast<float>(b));                                 \
  }                                                                                              \
  template <class T, std::enable_if_t<detail::is_number_v<T>, int> = 0>                          \
  friend constexpr detail::half_result_t<T> operator op(half a, T b) noexcept {                  \
    return static_cast<detail::half_result_t<T>>(a) op static_cast<detail::half_result_t<T>>(b); \
  }                                                                                              \
  template <class T, std::enable_if_t<detail::is_number_v<T>, int> = 0>                          \
  friend constexpr detail::half_result_t<T> operator op(T a, half b) noexcept {                  \
    return static_cast<detail::half_result_t<T>>(a) op static_cast<detail::half_result_t<T>>(b); \
  }                                                                                              \
  friend constexpr half& operator op##=(half & a, half b) noexcept { return a = a op b; }        \
  template <class T, std::enable_if_t<detail::is_number_v<T>, int> = 0>                          \
  friend constexpr half& operator op##=(half & a, T b) noexcept {                                \
    return a = static_cast<half>(a op b);                                                        \
  }                                                                                              \
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                         \
  friend constexpr T& operator op##=(T & a, half b) noexcept {                                   \
    return a = static_cast<T>(a op b);                                                           \
  }

  // float's 24 bits are enough for rounding twice to give what rounding once does.
  PIANOLA_HALF_ARITHMETIC(+)
  PIANOLA_HALF_ARITHMETIC(-)
  PIANOLA_HALF_ARITHMETIC(*)
  PIANOLA_HALF_ARITHMETIC(/)
#undef PIANOLA_HALF_ARITHMETIC

#define PIANOLA_HALF_COMPARISON(op)                                         \
  friend constexpr bool operator op(half a, half b) noexcept {              \
    return static_cast<float>(a) op static_cast<float>(b);                  \
  }                                                                         \
  template <class T, std::enable_if_t<detail::is_number_v<T>, int> = 0>     \
  friend constexpr bool operator op(half a, T b) noexcept {                 \
    using wide = std::conditional_t<std::is_floating_point_v<T>, T, float>; \
    return static_cast<wide>(a) op static_cast<wide>(b);                    \
  }                                                                         \
  template <class T, std::enable_if_t<detail::is_number_v<T>, int> = 0>     \
  friend constexpr bool operator op(T a, half b) noexcept {                 \
    using wide = std::conditional_t<std::is_floating_point_v<T>, T, float>; \
    return static_cast<wide>(a) op static_cast<wide>(b);                    \
  }

  PIANOLA_HALF_COMPARISON(==)
  PIANOLA_HALF_COMPARISON(!=)
  PIANOLA_HALF_COMPARISON(<)
  PIANOLA_HALF_COMPARISON(>)
  PIANOLA_HALF_COMPARISON(<=)
  PIANOLA_HALF_COMPARISON(>=)
#undef PIANOLA_HALF_COMPARISON

  friend constexpr half operator+(half a) noexcept { return a; }
  /// Changes the sign of zeros and NaNs too.
  friend constexpr half operator-(half a) noexcept {
    a.bits_ = static_cast<std::uint16_t>(a.bits_ ^ 0x8000u);
    return a;
  }
  friend constexpr bool operator!(half a) noexcept { return (a.bits_ & 0x7fffu) == 0; }
  constexpr half& operator++() noexcept { return *this = half(static_cast<float>(*this) + 1.0f); }
  constexpr half& operator--() noexcept { return *this = half(static_cast<float>(*this) - 1.0f); }
  constexpr half operator++(int) noexcept {
    const half before = *this;
    ++*this;
    return before;
  }
  constexpr half operator--(int) noexcept {
    const half before = *this;
    --*this;
    return before;
  }

  template <class Char, class Traits>
  friend std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& in,
                                                      half& value) {
    float wide = 0;
    in >> wide;
    value = half(wide);
    return in;
  }

 private:
  std::uint16_t bits_;
};

}  // namespace detail::half_impl

namespace detail {

constexpr half half_from_bits(std::uint16_t bits) noexcept {
  return __builtin_bit_cast(half, bits);
}

#if PIANOLA_HAS_FLOAT16
constexpr _Float16 to_float16(half value) noexcept { return __builtin_bit_cast(_Float16, value); }
#endif

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

/// What differs from float.
template <>
struct std::numeric_limits<sycl::half> : std::numeric_limits<float> {
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr sycl::half(min)() noexcept { return sycl::detail::half_from_bits(0x0400); }
  static constexpr sycl::half(max)() noexcept { return sycl::detail::half_from_bits(0x7bff); }
  static constexpr sycl::half lowest() noexcept { return sycl::detail::half_from_bits(0xfbff); }
  static constexpr sycl::half epsilon() noexcept { return sycl::detail::half_from_bits(0x1400); }
  static constexpr sycl::half round_error() noexcept {
    return sycl::detail::half_from_bits(0x3800);
  }
  static constexpr sycl::half infinity() noexcept { return sycl::detail::half_from_bits(0x7c00); }
  static constexpr sycl::half quiet_NaN() noexcept { return sycl::detail::half_from_bits(0x7e00); }
  static constexpr sycl::half signaling_NaN() noexcept {
    return sycl::detail::half_from_bits(0x7d00);
  }
  static constexpr sycl::half denorm_min() noexcept { return sycl::detail::half_from_bits(0x0001); }
};

template <>
struct std::hash<sycl::half> {
  std::size_t operator()(sycl::half value) const noexcept {
    return std::hash<float>()(static_cast<float>(value));
  }
};
