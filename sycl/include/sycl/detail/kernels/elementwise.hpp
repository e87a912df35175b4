// SPDX-License-Identifier: Apache-2.0
// Operators of vec and marray: base classes whose friends only argument-dependent look-up finds.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/type_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Whether S stands for all elements of a T[N] operand. A vec or swizzle of as many elements does not: it
/// is an operand of its own. Nor does a pointer, although it converts to bool.
template <class S, class T, int N>
inline constexpr bool is_scalar_operand_v =
    std::is_convertible_v<const S&, T> && !std::is_convertible_v<const S&, const volatile void*> &&
    !is_marray_v<S> && !(is_vec_or_swizzle_v<S> && element_count_v<S> == N);

template <class S, class T, int N>
using if_scalar_operand = std::enable_if_t<is_scalar_operand_v<S, T, N>, int>;

/// What a true comparison of elements is: all bits set, or true.
template <class Truth>
constexpr Truth truth_value(bool condition) noexcept {
  if constexpr (std::is_same_v<Truth, bool>)
    return condition;
  else
    return static_cast<Truth>(condition ? -1 : 0);
}

/// Takes part in built-in operators as one number; a template would not.
template <class Self, class T, bool Enabled>
class converts_to_scalar {
 public:
  constexpr operator T() const { return static_cast<const Self&>(*this)[0]; }
  template <class U, std::enable_if_t<!std::is_same_v<U, T> && is_single_v<U> &&
                                          std::is_constructible_v<U, const T&> &&
                                          !std::is_convertible_v<const T&, U>,
                                      int> = 0>
  constexpr explicit operator U() const {
    return static_cast<U>(static_cast<const Self&>(*this)[0]);
  }
};
template <class Self, class T>
class converts_to_scalar<Self, T, false> {};

#define PIANOLA_ELEMENTWISE_BINARY(op)                                      \
  friend constexpr Self operator op(const Self& a, const Self& b) {         \
    Self result{};                                                          \
    for (int i = 0; i < N; ++i) result[i] = static_cast<T>(a[i] op b[i]);   \
    return result;                                                          \
  }                                                                         \
  template <class S, if_scalar_operand<S, T, N> = 0>                        \
  friend constexpr Self operator op(const Self& a, const S& b) {            \
    const T scalar = static_cast<T>(b);                                     \
    Self result{};                                                          \
    for (int i = 0; i < N; ++i) result[i] = static_cast<T>(a[i] op scalar); \
    return result;                                                          \
  }                                                                         \
  template <class S, if_scalar_operand<S, T, N> = 0>                        \
  friend constexpr Self operator op(const S& a, const Self& b) {            \
    const T scalar = static_cast<T>(a);                                     \
    Self result{};                                                          \
    for (int i = 0; i < N; ++i) result[i] = static_cast<T>(scalar op b[i]); \
    return result;                                                          \
  }                                                                         \
  friend constexpr Self& operator op##=(Self & a, const Self & b) {         \
    for (int i = 0; i < N; ++i) a[i] = static_cast<T>(a[i] op b[i]);        \
    return a;                                                               \
  }                                                                         \
  template <class S, if_scalar_operand<S, T, N> = 0>                        \
  friend constexpr Self& operator op##=(Self & a, const S & b) {            \
    const T scalar = static_cast<T>(b);                                     \
    for (int i = 0; i < N; ++i) a[i] = static_cast<T>(a[i] op scalar);      \
    return a;                                                               \
  }

#define PIANOLA_ELEMENTWISE_RELATION(op)                                                    \
  friend constexpr Relation operator op(const Self& a, const Self& b) {                     \
    Relation result{};                                                                      \
    for (int i = 0; i < N; ++i)                                                             \
      result[i] = truth_value<element_type_t<Relation>>(static_cast<bool>(a[i] op b[i]));   \
    return result;                                                                          \
  }                                                                                         \
  template <class S, if_scalar_operand<S, T, N> = 0>                                        \
  friend constexpr Relation operator op(const Self& a, const S& b) {                        \
    const T scalar = static_cast<T>(b);                                                     \
    Relation result{};                                                                      \
    for (int i = 0; i < N; ++i)                                                             \
      result[i] = truth_value<element_type_t<Relation>>(static_cast<bool>(a[i] op scalar)); \
    return result;                                                                          \
  }                                                                                         \
  template <class S, if_scalar_operand<S, T, N> = 0>                                        \
  friend constexpr Relation operator op(const S& a, const Self& b) {                        \
    const T scalar = static_cast<T>(a);                                                     \
    Relation result{};                                                                      \
    for (int i = 0; i < N; ++i)                                                             \
      result[i] = truth_value<element_type_t<Relation>>(static_cast<bool>(scalar op b[i])); \
    return result;                                                                          \
  }

/// Operators of every element type. Relation: vec or marray of their truth values.
template <class Self, class T, int N, class Relation>
class elementwise_operators {
  PIANOLA_ELEMENTWISE_BINARY(+)
  PIANOLA_ELEMENTWISE_BINARY(-)
  PIANOLA_ELEMENTWISE_BINARY(*)
  PIANOLA_ELEMENTWISE_BINARY(/)

  PIANOLA_ELEMENTWISE_RELATION(==)
  PIANOLA_ELEMENTWISE_RELATION(!=)
  PIANOLA_ELEMENTWISE_RELATION(<)
  PIANOLA_ELEMENTWISE_RELATION(>)
  PIANOLA_ELEMENTWISE_RELATION(<=)
  PIANOLA_ELEMENTWISE_RELATION(>=)
  PIANOLA_ELEMENTWISE_RELATION(&&)
  PIANOLA_ELEMENTWISE_RELATION(||)

  friend constexpr Relation operator!(const Self& a) {
    Relation result{};
    for (int i = 0; i < N; ++i)
      result[i] = truth_value<element_type_t<Relation>>(!static_cast<bool>(a[i]));
    return result;
  }
  friend constexpr Self operator+(const Self& a) { return a; }
  friend constexpr Self operator-(const Self& a) {
    Self result{};
    for (int i = 0; i < N; ++i) result[i] = static_cast<T>(-a[i]);
    return result;
  }
  friend constexpr Self& operator++(Self& a) {
    static_assert(!std::is_same_v<T, bool>, "bool elements cannot be incremented");
    for (int i = 0; i < N; ++i) ++a[i];
    return a;
  }
  friend constexpr Self& operator--(Self& a) {
    static_assert(!std::is_same_v<T, bool>, "bool elements cannot be decremented");
    for (int i = 0; i < N; ++i) --a[i];
    return a;
  }
  friend constexpr Self operator++(Self& a, int) {
    const Self before = a;
    ++a;
    return before;
  }
  friend constexpr Self operator--(Self& a, int) {
    const Self before = a;
    --a;
    return before;
  }
};

/// Operators that floating-point elements have not.
template <class Self, class T, int N, bool Enabled>
class elementwise_bit_operators {
  PIANOLA_ELEMENTWISE_BINARY(%)
  PIANOLA_ELEMENTWISE_BINARY(&)
  PIANOLA_ELEMENTWISE_BINARY(|)
  PIANOLA_ELEMENTWISE_BINARY(^)
  PIANOLA_ELEMENTWISE_BINARY(<<)
  PIANOLA_ELEMENTWISE_BINARY(>>)

  friend constexpr Self operator~(const Self& a) {
    Self result{};
    for (int i = 0; i < N; ++i) {
      if constexpr (std::is_same_v<T, bool>)
        result[i] = static_cast<bool>(~static_cast<int>(a[i]));  // as of a bool: always true
      else
        result[i] = static_cast<T>(~a[i]);
    }
    return result;
  }
};
template <class Self, class T, int N>
class elementwise_bit_operators<Self, T, N, false> {};

#undef PIANOLA_ELEMENTWISE_BINARY
#undef PIANOLA_ELEMENTWISE_RELATION

template <class T>
inline constexpr bool has_bit_operators_v =
    !std::is_floating_point_v<T> && !is_half_v<T> &&
    !std::is_same_v<std::remove_cv_t<T>, ext::oneapi::bfloat16>;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
