// SPDX-License-Identifier: Apache-2.0
// Operators of multi_ptr.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Of addresses, of raw pointers too; a null pointer comes before all others.
template <class Self, class ElementType>
class pointer_comparisons {
#define PIANOLA_POINTER_COMPARISON(op)                                           \
  friend constexpr bool operator op(const Self& a, const Self& b) noexcept {     \
    return a.get_raw() op b.get_raw();                                           \
  }                                                                              \
  template <class P, std::enable_if_t<std::is_same_v<P, ElementType*>, int> = 0> \
  friend constexpr bool operator op(const Self& a, P b) noexcept {               \
    return a.get_raw() op b;                                                     \
  }                                                                              \
  template <class P, std::enable_if_t<std::is_same_v<P, ElementType*>, int> = 0> \
  friend constexpr bool operator op(P a, const Self& b) noexcept {               \
    return a op b.get_raw();                                                     \
  }                                                                              \
  friend constexpr bool operator op(const Self& a, std::nullptr_t) noexcept {    \
    return a.get_raw() op static_cast<ElementType*>(nullptr);                    \
  }                                                                              \
  friend constexpr bool operator op(std::nullptr_t, const Self& b) noexcept {    \
    return static_cast<ElementType*>(nullptr) op b.get_raw();                    \
  }

  PIANOLA_POINTER_COMPARISON(==)
  PIANOLA_POINTER_COMPARISON(!=)
  PIANOLA_POINTER_COMPARISON(<)
  PIANOLA_POINTER_COMPARISON(>)
  PIANOLA_POINTER_COMPARISON(<=)
  PIANOLA_POINTER_COMPARISON(>=)
#undef PIANOLA_POINTER_COMPARISON
};

template <class Self>
class pointer_arithmetic {
  friend constexpr Self& operator++(Self& p) { return p = Self(p.get_raw() + 1); }
  friend constexpr Self operator++(Self& p, int) {
    const Self before = p;
    p = Self(p.get_raw() + 1);
    return before;
  }
  friend constexpr Self& operator--(Self& p) { return p = Self(p.get_raw() - 1); }
  friend constexpr Self operator--(Self& p, int) {
    const Self before = p;
    p = Self(p.get_raw() - 1);
    return before;
  }
  friend constexpr Self& operator+=(Self& p, std::ptrdiff_t distance) {
    return p = Self(p.get_raw() + distance);
  }
  friend constexpr Self& operator-=(Self& p, std::ptrdiff_t distance) {
    return p = Self(p.get_raw() - distance);
  }
  friend constexpr Self operator+(const Self& p, std::ptrdiff_t distance) {
    return Self(p.get_raw() + distance);
  }
  friend constexpr Self operator-(const Self& p, std::ptrdiff_t distance) {
    return Self(p.get_raw() - distance);
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
