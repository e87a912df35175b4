// SPDX-License-Identifier: Apache-2.0
// Function objects and their identities (SYCL 2020, 4.17.1).
#pragma once

#include <functional>
#include <limits>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/type_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
/// a where the condition holds, else b: of vec and marray element by element.
template <class Condition, class A, class B>
constexpr auto chosen(const Condition& condition, const A& a, const B& b) {
  if constexpr (is_single_v<Condition>) {
    return condition ? a : b;
  } else {
    value_type_of_t<A> result{};
    for (int i = 0; i < element_count_v<Condition>; ++i) result[i] = condition[i] ? a[i] : b[i];
    return result;
  }
}
}  // namespace detail

// Each takes two T, or with void two of any types.
#define PIANOLA_FUNCTION_OBJECT(name, result, expression)       \
  template <class T = void>                                     \
  struct name {                                                 \
    constexpr result operator()(const T& a, const T& b) const { \
      return static_cast<result>(expression);                   \
    }                                                           \
  };                                                            \
  template <>                                                   \
  struct name<void> {                                           \
    struct is_transparent;                                      \
    template <class A, class B>                                 \
    constexpr auto operator()(const A& a, const B& b) const {   \
      return expression;                                        \
    }                                                           \
  }

PIANOLA_FUNCTION_OBJECT(plus, T, a + b);
PIANOLA_FUNCTION_OBJECT(multiplies, T, a* b);
PIANOLA_FUNCTION_OBJECT(bit_and, T, a& b);
PIANOLA_FUNCTION_OBJECT(bit_or, T, a | b);
PIANOLA_FUNCTION_OBJECT(bit_xor, T, a ^ b);
PIANOLA_FUNCTION_OBJECT(logical_and, bool, a&& b);
PIANOLA_FUNCTION_OBJECT(logical_or, bool, a || b);
PIANOLA_FUNCTION_OBJECT(minimum, T, detail::chosen(b < a, b, a));
PIANOLA_FUNCTION_OBJECT(maximum, T, detail::chosen(a < b, b, a));

#undef PIANOLA_FUNCTION_OBJECT

namespace detail::half_impl {
class half;
}
using half = detail::half_impl::half;

namespace detail {

struct no_known_identity {
  static constexpr bool known = false;
};

template <class T, class Bits>
struct identity_from {
  static constexpr bool known = true;
  static constexpr T value = Bits::template of<T>();
};

struct zero_identity {
  template <class T>
  static constexpr T of() {
    return T(0);
  }
};
struct one_identity {
  template <class T>
  static constexpr T of() {
    return T(1);
  }
};
struct all_bits_identity {
  template <class T>
  static constexpr T of() {
    if constexpr (std::is_same_v<T, bool>)
      return true;
    else
      return static_cast<T>(~T(0));
  }
};
struct largest_identity {
  template <class T>
  static constexpr T of() {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return std::numeric_limits<T>::infinity();
    else
      return (std::numeric_limits<T>::max)();
  }
};
struct smallest_identity {
  template <class T>
  static constexpr T of() {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
};

template <bool Known, class T, class Bits>
using identity_if = std::conditional_t<Known, identity_from<T, Bits>, no_known_identity>;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, half>;

/// Whether T is a std::complex of numbers, whose header programs that have one include
/// (sycl_ext_oneapi_complex_algorithms: sums of them in groups).
template <class T, class = void>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool
    is_complex<T, std::void_t<typename T::value_type, decltype(std::declval<const T&>().imag())>> =
        std::is_floating_point_v<typename T::value_type> &&
        std::is_same_v<decltype(std::declval<const T&>().imag()), typename T::value_type>;

template <class Operation, class T>
struct identity_of : no_known_identity {};

// The standard library's function objects do the same as SYCL's, where it has them.
#define PIANOLA_IDENTITY(operation, condition, bits) \
  template <class U, class T>                        \
  struct identity_of<operation<U>, T> : identity_if<condition, T, bits> {}

PIANOLA_IDENTITY(plus, is_number<T> || is_complex<T>, zero_identity);
PIANOLA_IDENTITY(std::plus, is_number<T> || is_complex<T>, zero_identity);
PIANOLA_IDENTITY(multiplies, is_number<T>, one_identity);
PIANOLA_IDENTITY(std::multiplies, is_number<T>, one_identity);
PIANOLA_IDENTITY(bit_and, std::is_integral_v<T>, all_bits_identity);
PIANOLA_IDENTITY(std::bit_and, std::is_integral_v<T>, all_bits_identity);
PIANOLA_IDENTITY(bit_or, std::is_integral_v<T>, zero_identity);
PIANOLA_IDENTITY(std::bit_or, std::is_integral_v<T>, zero_identity);
PIANOLA_IDENTITY(bit_xor, std::is_integral_v<T>, zero_identity);
PIANOLA_IDENTITY(std::bit_xor, std::is_integral_v<T>, zero_identity);
#define PIANOLA_IS_BOOL (std::is_same_v<T, bool>)
PIANOLA_IDENTITY(logical_and, PIANOLA_IS_BOOL, one_identity);
PIANOLA_IDENTITY(std::logical_and, PIANOLA_IS_BOOL, one_identity);
PIANOLA_IDENTITY(logical_or, PIANOLA_IS_BOOL, zero_identity);
PIANOLA_IDENTITY(std::logical_or, PIANOLA_IS_BOOL, zero_identity);
#undef PIANOLA_IS_BOOL
PIANOLA_IDENTITY(minimum, is_number<T>, largest_identity);
PIANOLA_IDENTITY(maximum, is_number<T>, smallest_identity);

#undef PIANOLA_IDENTITY

template <class Operation, class T>
using identity_for = identity_of<std::remove_cv_t<Operation>, std::remove_cv_t<T>>;

}  // namespace detail

/// Whether known_identity has a value: for the function objects above with arithmetic types where they
/// make sense (bit operations with integers, logical ones with bool), and for the standard library's.
template <class BinaryOperation, class AccumulatorT>
struct has_known_identity
    : std::bool_constant<detail::identity_for<BinaryOperation, AccumulatorT>::known> {};

template <class BinaryOperation, class AccumulatorT>
inline constexpr bool has_known_identity_v =
    has_known_identity<BinaryOperation, AccumulatorT>::value;

template <class BinaryOperation, class AccumulatorT>
struct known_identity {
  static_assert(has_known_identity_v<BinaryOperation, AccumulatorT>,
                "this operation has no known identity for this type");
  static constexpr std::remove_cv_t<AccumulatorT> value =
      detail::identity_for<BinaryOperation, AccumulatorT>::value;
};

template <class BinaryOperation, class AccumulatorT>
inline constexpr std::remove_cv_t<AccumulatorT> known_identity_v =
    known_identity<BinaryOperation, AccumulatorT>::value;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
