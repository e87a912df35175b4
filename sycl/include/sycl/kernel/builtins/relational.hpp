// SPDX-License-Identifier: Apache-2.0
// Relational functions (SYCL 2020, 4.17.10). Of scalars they give bool, of marray an marray of bool, of vec a
// vec of integers: -1 where true, 0 where false.
#pragma once

#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/builtins/scalar_math.hpp>
#include <sycl/kernel/builtins/shapes.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// As many truth values as X has elements.
template <class X>
using truths = with_element_t<
    X, std::conditional_t<is_marray_v<X>, bool,
                          typename integers_of_size<sizeof(element_type_t<X>)>::with_sign>>;

template <class X>
using several_relations = truths<several_floats<X>>;
template <class X, class Y>
using several_relations_2 = truths<several_floats_2<X, Y>>;

template <class R>
constexpr element_type_t<R> truth(bool value) noexcept {
  if constexpr (is_marray_v<R>)
    return value;
  else
    return value ? element_type_t<R>(-1) : element_type_t<R>(0);
}

namespace scalar {

// Compilers asked for fast arithmetic take comparisons of x with itself for granted; bits they do not.
inline std::uint32_t bits(float x) noexcept { return __builtin_bit_cast(std::uint32_t, x); }
inline std::uint64_t bits(double x) noexcept { return __builtin_bit_cast(std::uint64_t, x); }
template <class T>
using bits_t = decltype(bits(T()));
template <class T>
inline constexpr bits_t<T> magnitude_mask = static_cast<bits_t<T>>(~bits_t<T>(0)) >> 1;
template <class T>
inline constexpr bits_t<T> infinity_bits =
    sizeof(T) == 4 ? static_cast<bits_t<T>>(0x7f800000U)
                   : static_cast<bits_t<T>>(0x7ff0000000000000U);
template <class T>
inline constexpr bits_t<T> normal_bits =
    sizeof(T) == 4 ? static_cast<bits_t<T>>(0x00800000U)
                   : static_cast<bits_t<T>>(0x0010000000000000U);

template <class T>
inline bool isnan(T x) noexcept {
  return (bits(x) & magnitude_mask<T>) > infinity_bits<T>;
}
template <class T>
inline bool isinf(T x) noexcept {
  return (bits(x) & magnitude_mask<T>) == infinity_bits<T>;
}
template <class T>
inline bool isfinite(T x) noexcept {
  return (bits(x) & magnitude_mask<T>) < infinity_bits<T>;
}
template <class T>
inline bool isnormal(T x) noexcept {
  const bits_t<T> magnitude = bits(x) & magnitude_mask<T>;
  return magnitude >= normal_bits<T> && magnitude < infinity_bits<T>;
}
template <class T>
inline bool isequal(T x, T y) noexcept {
  return x == y;
}
template <class T>
inline bool isnotequal(T x, T y) noexcept {
  return x != y;
}
template <class T>
inline bool isgreater(T x, T y) noexcept {
  return x > y;
}
template <class T>
inline bool isgreaterequal(T x, T y) noexcept {
  return x >= y;
}
template <class T>
inline bool isless(T x, T y) noexcept {
  return x < y;
}
template <class T>
inline bool islessequal(T x, T y) noexcept {
  return x <= y;
}
template <class T>
inline bool islessgreater(T x, T y) noexcept {
  return x < y || x > y;
}
template <class T>
inline bool isordered(T x, T y) noexcept {
  return !scalar::isnan(x) && !scalar::isnan(y);
}
template <class T>
inline bool isunordered(T x, T y) noexcept {
  return scalar::isnan(x) || scalar::isnan(y);
}

}  // namespace scalar

inline bool is_normal(float x) noexcept { return scalar::isnormal(x); }
inline bool is_normal(double x) noexcept { return scalar::isnormal(x); }
inline bool is_normal(half x) noexcept {
  // In float, half's subnormal numbers are normal.
  const unsigned magnitude = __builtin_bit_cast(std::uint16_t, x) & 0x7fffU;
  return magnitude >= 0x0400U && magnitude < 0x7c00U;
}

}  // namespace detail

#define PIANOLA_RELATION_1(name)                                                                   \
  PIANOLA_SCALARS_1(name, bool, detail::scalar::name(detail::widened(x)))                          \
  template <class X, class R = detail::several_relations<X>>                                       \
  inline R name(const X& x) noexcept {                                                             \
    R result{};                                                                                    \
    for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = detail::truth<R>(name(x[i])); \
    return result;                                                                                 \
  }
#define PIANOLA_RELATION_2(name)                                                              \
  PIANOLA_SCALARS_2(name, bool, detail::scalar::name(detail::widened(x), detail::widened(y))) \
  template <class X, class Y, class R = detail::several_relations_2<X, Y>>                    \
  inline R name(const X& x, const Y& y) noexcept {                                            \
    R result{};                                                                               \
    for (int i = 0; i < detail::element_count_v<R>; ++i)                                      \
      result[i] = detail::truth<R>(name(x[i], y[i]));                                         \
    return result;                                                                            \
  }

PIANOLA_RELATION_2(isequal)
PIANOLA_RELATION_2(isnotequal)
PIANOLA_RELATION_2(isgreater)
PIANOLA_RELATION_2(isgreaterequal)
PIANOLA_RELATION_2(isless)
PIANOLA_RELATION_2(islessequal)
PIANOLA_RELATION_2(islessgreater)
PIANOLA_RELATION_2(isordered)
PIANOLA_RELATION_2(isunordered)
PIANOLA_RELATION_1(isfinite)
PIANOLA_RELATION_1(isinf)
PIANOLA_RELATION_1(isnan)
PIANOLA_RELATION_1(signbit)

PIANOLA_SCALARS_1(isnormal, bool, detail::is_normal(x))
template <class X, class R = detail::several_relations<X>>
inline R isnormal(const X& x) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = detail::truth<R>(isnormal(x[i]));
  return result;
}

#undef PIANOLA_RELATION_1
#undef PIANOLA_RELATION_2

namespace detail {
template <class X>
inline constexpr bool has_sign_v =
    is_igeninteger_v<X> || (is_marray_v<X> && std::is_same_v<element_type_t<X>, bool>);
/// bool, for a vec int.
template <class X>
using any_result = std::enable_if_t<has_sign_v<X> && (is_several_v<X> || is_integer_scalar_v<X>),
                                    std::conditional_t<is_vec_or_swizzle_v<X>, int, bool>>;
/// Whether the most significant bit is set; of bool, the only one.
template <class T>
constexpr bool highest_bit(T x) noexcept {
  if constexpr (std::is_same_v<T, bool>)
    return x;
  else
    return static_cast<std::make_signed_t<T>>(x) < 0;
}
}  // namespace detail

/// Whether any element has its most significant bit set, or is true. Of scalars: deprecated by SYCL 2020.
template <class X, class R = detail::any_result<X>>
inline R any(const X& x) noexcept {
  if constexpr (detail::is_single_v<X>) {
    return detail::highest_bit(x);
  } else {
    bool result = false;
    for (int i = 0; i < detail::element_count_v<X>; ++i)
      result = result || detail::highest_bit<detail::element_type_t<X>>(x[i]);
    return static_cast<R>(result);
  }
}
template <class X, class R = detail::any_result<X>>
inline R all(const X& x) noexcept {
  if constexpr (detail::is_single_v<X>) {
    return detail::highest_bit(x);
  } else {
    bool result = true;
    for (int i = 0; i < detail::element_count_v<X>; ++i)
      result = result && detail::highest_bit<detail::element_type_t<X>>(x[i]);
    return static_cast<R>(result);
  }
}

namespace detail {
template <std::size_t Rest, class T, class U = T, class V = T>
using if_number = std::enable_if_t<Rest == 0 && is_single_v<T> && is_gentype_v<T> &&
                                       std::is_same_v<T, U> && std::is_same_v<T, V>,
                                   T>;
/// c of select: for marray bool, for vec an integer of the element's size.
template <class X, class C>
inline constexpr bool selects_v =
    is_marray_v<X> ? std::is_same_v<C, with_element_t<X, bool>>
                   : is_vec_or_swizzle_v<C> && is_geninteger_v<C> &&
                         element_count_v<C> == element_count_v<X> &&
                         sizeof(element_type_t<C>) == sizeof(element_type_t<X>);
template <class X, class Y, class C>
using several_selected =
    std::enable_if_t<is_several_v<X> && is_gentype_v<X> && are_alike_v<X, Y> && selects_v<X, C>,
                     value_type_of_t<X>>;
}  // namespace detail

/// Each bit is that of `a` where c's is 0, and that of `b` where it is 1.
template <class T, class U = T, class V = T, class... Rest,
          class R = detail::if_number<sizeof...(Rest), T, U, V>>
inline R bitselect(T a, T b, T c, Rest...) noexcept {
  using bits = detail::unsigned_like_t<T>;
  const bits of_a = __builtin_bit_cast(bits, a), of_b = __builtin_bit_cast(bits, b),
             of_c = __builtin_bit_cast(bits, c);
  return __builtin_bit_cast(T, static_cast<bits>((of_a & ~of_c) | (of_b & of_c)));
}
PIANOLA_SEVERAL_3(bitselect, several_numbers)

/// b where c is true (for vec: has its most significant bit set), otherwise a.
template <class T, class... Rest, class R = detail::if_number<sizeof...(Rest), T>>
inline R select(T a, T b, bool c, Rest...) noexcept {
  return c ? b : a;
}
template <class X, class Y, class C, class R = detail::several_selected<X, Y, C>>
inline R select(const X& a, const Y& b, const C& c) noexcept {
  R result{};
  for (int i = 0; i < detail::element_count_v<R>; ++i)
    result[i] = detail::highest_bit<detail::element_type_t<C>>(c[i])
                    ? static_cast<detail::element_type_t<R>>(b[i])
                    : static_cast<detail::element_type_t<R>>(a[i]);
  return result;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
