// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Gives a one-dimensional index class its conversion to size_t. A base class, because a conversion
/// function template would not take part in `int n = index` or `pointer[index]`.
template <class Self, bool Enabled>
class converts_to_size {
 public:
  constexpr operator std::size_t() const { return static_cast<const Self&>(*this)[0]; }
};

template <class Self>
class converts_to_size<Self, false> {};

/// Storage and operators that range and id have in common (SYCL 2020, tables "operators of the
/// range/id class").
///
/// The specification writes `Self op size_t`. Taken literally that is ambiguous for id<1>, which
/// also converts to size_t: `i + 1` would match the built-in operator on its second operand and
/// ours on its first. So the scalar operand is a template that matches exactly. With
/// FloatingScalars false (id<1>) floating-point operands are left to the built-in operators: `i *
/// 0.5` is a double.
template <class Self, int Dimensions, bool FloatingScalars>
class index_vector {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "SYCL index spaces have 1, 2 or 3 dimensions");

  template <class T>
  using scalar =
      std::enable_if_t<std::is_integral<T>::value ||
                           (std::is_enum<T>::value && std::is_convertible<T, std::size_t>::value) ||
                           (FloatingScalars && std::is_floating_point<T>::value),
                       int>;

 public:
  static constexpr int dimensions = Dimensions;

  constexpr std::size_t get(int dimension) const { return values_[dimension]; }
  constexpr std::size_t& operator[](int dimension) { return values_[dimension]; }
  constexpr std::size_t operator[](int dimension) const { return values_[dimension]; }

  friend constexpr bool operator==(const Self& a, const Self& b) {
    for (int d = 0; d < Dimensions; ++d)
      if (a.values_[d] != b.values_[d]) return false;
    return true;
  }
  friend constexpr bool operator!=(const Self& a, const Self& b) { return !(a == b); }

  template <class T, scalar<T> = 0>
  friend constexpr bool operator==(const Self& a, T b) {
    return a == splat(b);
  }
  template <class T, scalar<T> = 0>
  friend constexpr bool operator==(T a, const Self& b) {
    return splat(a) == b;
  }
  template <class T, scalar<T> = 0>
  friend constexpr bool operator!=(const Self& a, T b) {
    return !(a == splat(b));
  }
  template <class T, scalar<T> = 0>
  friend constexpr bool operator!=(T a, const Self& b) {
    return !(splat(a) == b);
  }

#define PIANOLA_INDEX_BINARY(op)                                                  \
  friend constexpr Self operator op(const Self& a, const Self& b) {               \
    Self result;                                                                  \
    for (int d = 0; d < Dimensions; ++d)                                          \
      result.values_[d] = static_cast<std::size_t>(a.values_[d] op b.values_[d]); \
    return result;                                                                \
  }                                                                               \
  template <class T, scalar<T> = 0>                                               \
  friend constexpr Self operator op(const Self& a, T b) {                         \
    return a op splat(b);                                                         \
  }                                                                               \
  template <class T, scalar<T> = 0>                                               \
  friend constexpr Self operator op(T a, const Self& b) {                         \
    return splat(a) op b;                                                         \
  }

  PIANOLA_INDEX_BINARY(+)
  PIANOLA_INDEX_BINARY(-)
  PIANOLA_INDEX_BINARY(*)
  PIANOLA_INDEX_BINARY(/)
  PIANOLA_INDEX_BINARY(%)
  PIANOLA_INDEX_BINARY(<<)
  PIANOLA_INDEX_BINARY(>>)
  PIANOLA_INDEX_BINARY(&)
  PIANOLA_INDEX_BINARY(|)
  PIANOLA_INDEX_BINARY(^)
  PIANOLA_INDEX_BINARY(&&)
  PIANOLA_INDEX_BINARY(||)
  PIANOLA_INDEX_BINARY(<)
  PIANOLA_INDEX_BINARY(>)
  PIANOLA_INDEX_BINARY(<=)
  PIANOLA_INDEX_BINARY(>=)
#undef PIANOLA_INDEX_BINARY

#define PIANOLA_INDEX_ASSIGN(op)                                    \
  friend constexpr Self& operator op##=(Self & a, const Self & b) { \
    a = a op b;                                                     \
    return a;                                                       \
  }                                                                 \
  template <class T, scalar<T> = 0>                                 \
  friend constexpr Self& operator op##=(Self & a, T b) {            \
    a = a op splat(b);                                              \
    return a;                                                       \
  }

  PIANOLA_INDEX_ASSIGN(+)
  PIANOLA_INDEX_ASSIGN(-)
  PIANOLA_INDEX_ASSIGN(*)
  PIANOLA_INDEX_ASSIGN(/)
  PIANOLA_INDEX_ASSIGN(%)
  PIANOLA_INDEX_ASSIGN(<<)
  PIANOLA_INDEX_ASSIGN(>>)
  PIANOLA_INDEX_ASSIGN(&)
  PIANOLA_INDEX_ASSIGN(|)
  PIANOLA_INDEX_ASSIGN(^)
#undef PIANOLA_INDEX_ASSIGN

  friend constexpr Self operator+(const Self& a) { return a; }
  friend constexpr Self operator-(const Self& a) { return Self() - a; }
  friend constexpr Self& operator++(Self& a) { return a += std::size_t{1}; }
  friend constexpr Self& operator--(Self& a) { return a -= std::size_t{1}; }
  friend constexpr Self operator++(Self& a, int) {
    Self before = a;
    ++a;
    return before;
  }
  friend constexpr Self operator--(Self& a, int) {
    Self before = a;
    --a;
    return before;
  }

 protected:
  constexpr index_vector() = default;
  constexpr explicit index_vector(std::size_t v0) : values_{v0} {}
  constexpr index_vector(std::size_t v0, std::size_t v1) : values_{v0, v1} {}
  constexpr index_vector(std::size_t v0, std::size_t v1, std::size_t v2) : values_{v0, v1, v2} {}

 private:
  template <class T>
  static constexpr Self splat(T value) {
    Self result;
    for (int d = 0; d < Dimensions; ++d) result.values_[d] = static_cast<std::size_t>(value);
    return result;
  }

  std::size_t values_[static_cast<std::size_t>(Dimensions)]{};
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
