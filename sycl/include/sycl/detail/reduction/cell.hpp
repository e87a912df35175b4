// SPDX-License-Identifier: Apache-2.0
// What a reduction accumulates in, and by which rules.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/functional.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Where no identity is known: nothing may have been combined yet.
template <class T>
struct maybe_value {
  union {
    T value;
  };
  bool set;

  maybe_value() noexcept : set(false) {}
};

/// A function object that so many bytes come behind, with zeros where nothing would be: what kernels capture is searched for
/// addresses.
template <class Operation, std::size_t Behind,
          std::size_t Zeros = (8 - (sizeof(Operation) + Behind) % 8) % 8>
struct filled_operation {
  Operation function;
  unsigned char zeros[Zeros] = {};
};
template <class Operation, std::size_t Behind>
struct filled_operation<Operation, Behind, 0> {
  Operation function;
};

/// How values of one reduction combine. A cell is a partial result; none() is the cell that stands for
/// no value at all.
template <class T, class Operation, bool HasIdentity>
struct reduction_rules {
  using value = T;
  using operation = Operation;
  using cell = T;
  static constexpr bool has_identity = HasIdentity;

  filled_operation<Operation, sizeof(T)> op;
  T none_;

  constexpr const T& none() const noexcept { return none_; }
  constexpr void put(T& c, const T& x) const { c = static_cast<T>(op.function(c, x)); }
  constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(op.function(a, b)); }
  static constexpr bool holds_value(const T&) noexcept { return true; }
  static constexpr const T& value_of(const T& c) noexcept { return c; }
};

template <class T, class Operation>
struct reduction_rules<T, Operation, false> {
  using value = T;
  using operation = Operation;
  using cell = maybe_value<T>;
  static constexpr bool has_identity = false;

  filled_operation<Operation, 0> op;

  static cell none() noexcept { return cell(); }
  void put(cell& c, const T& x) const {
    c.value = c.set ? static_cast<T>(op.function(c.value, x)) : x;
    c.set = true;
  }
  cell operator()(const cell& a, const cell& b) const {
    if (!b.set) return a;
    cell both = a;
    put(both, b.value);
    return both;
  }
  static constexpr bool holds_value(const cell& c) noexcept { return c.set; }
  static constexpr const T& value_of(const cell& c) noexcept { return c.value; }
};

enum class operator_kind { other, plus, multiplies, bit_and, bit_or, bit_xor };

template <class Operation>
inline constexpr operator_kind kind_of_operation = operator_kind::other;
template <class T>
inline constexpr operator_kind kind_of_operation<plus<T>> = operator_kind::plus;
template <class T>
inline constexpr operator_kind kind_of_operation<multiplies<T>> = operator_kind::multiplies;
template <class T>
inline constexpr operator_kind kind_of_operation<bit_and<T>> = operator_kind::bit_and;
template <class T>
inline constexpr operator_kind kind_of_operation<bit_or<T>> = operator_kind::bit_or;
template <class T>
inline constexpr operator_kind kind_of_operation<bit_xor<T>> = operator_kind::bit_xor;
template <class T>
inline constexpr operator_kind kind_of_operation<std::plus<T>> = operator_kind::plus;
template <class T>
inline constexpr operator_kind kind_of_operation<std::multiplies<T>> = operator_kind::multiplies;
template <class T>
inline constexpr operator_kind kind_of_operation<std::bit_and<T>> = operator_kind::bit_and;
template <class T>
inline constexpr operator_kind kind_of_operation<std::bit_or<T>> = operator_kind::bit_or;
template <class T>
inline constexpr operator_kind kind_of_operation<std::bit_xor<T>> = operator_kind::bit_xor;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
