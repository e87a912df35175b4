// SPDX-License-Identifier: Apache-2.0
// Which types the built-in functions' templates for several elements take (SYCL 2020, 4.17), and the macros
// that write such a template around the function for one element.
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/kernel/builtins/scalar_forms.hpp>
#include <sycl/kernel/half.hpp>
#include <sycl/kernel/marray.hpp>
#include <sycl/kernel/swizzle.hpp>
#include <sycl/kernel/type_traits.hpp>
#include <sycl/kernel/vec.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class X>
inline constexpr bool is_several_v = !is_single_v<X>;
/// Keeps a second type that a program names from being taken for a result type.
template <class X>
using only_several = std::enable_if_t<is_several_v<X>, int>;
/// Two shapes that a function takes together: equal ones, where a swizzle is the vec it stands for.
template <class X, class Y>
inline constexpr bool are_alike_v =
    std::is_same_v<value_type_of_t<X>, value_type_of_t<Y>> || std::is_same_v<X, Y>;

// Result types, which exist only for the right arguments.
template <class X>
using several_floats = std::enable_if_t<is_several_v<X> && is_genfloat_v<X>, value_type_of_t<X>>;
template <class X, class Y>
using several_floats_2 =
    std::enable_if_t<is_several_v<X> && is_genfloat_v<X> && are_alike_v<X, Y>, value_type_of_t<X>>;
template <class X, class Y, class Z>
using several_floats_3 =
    std::enable_if_t<is_several_v<X> && is_genfloat_v<X> && are_alike_v<X, Y> && are_alike_v<X, Z>,
                     value_type_of_t<X>>;
/// Elements of float alone.
template <class X>
using several_single_floats =
    std::enable_if_t<is_several_v<X> && is_genfloatf_v<X>, value_type_of_t<X>>;
template <class X, class Y>
using several_single_floats_2 =
    std::enable_if_t<is_several_v<X> && is_genfloatf_v<X> && are_alike_v<X, Y>, value_type_of_t<X>>;

template <class X>
using several_integers =
    std::enable_if_t<is_several_v<X> && is_geninteger_v<X>, value_type_of_t<X>>;
template <class X, class Y>
using several_integers_2 =
    std::enable_if_t<is_several_v<X> && is_geninteger_v<X> && are_alike_v<X, Y>,
                     value_type_of_t<X>>;
template <class X, class Y, class Z>
using several_integers_3 = std::enable_if_t<is_several_v<X> && is_geninteger_v<X> &&
                                                are_alike_v<X, Y> && are_alike_v<X, Z>,
                                            value_type_of_t<X>>;

/// Integers or floating-point numbers.
template <class X>
using several_numbers = std::enable_if_t<is_several_v<X> && is_gentype_v<X>, value_type_of_t<X>>;
template <class X, class Y>
using several_numbers_2 =
    std::enable_if_t<is_several_v<X> && is_gentype_v<X> && are_alike_v<X, Y>, value_type_of_t<X>>;
template <class X, class Y, class Z>
using several_numbers_3 =
    std::enable_if_t<is_several_v<X> && is_gentype_v<X> && are_alike_v<X, Y> && are_alike_v<X, Z>,
                     value_type_of_t<X>>;

/// As many integers of this type as X has floating-point elements.
template <class X, class Integer>
using several_exponents = with_element_t<several_floats<X>, Integer>;

/// Result of a function that takes, besides floating-point numbers, one int for each.
template <class X, class Ints>
using several_floats_and_ints =
    std::enable_if_t<is_several_v<X> && is_genfloat_v<X> &&
                         std::is_same_v<value_type_of_t<Ints>, with_element_t<X, int>>,
                     value_type_of_t<X>>;

template <class Pointer>
using pointee_t = std::remove_reference_t<decltype(*std::declval<const Pointer&>())>;
/// What `Pointer` must not be, unless it is a pointer or multi_ptr to a T that can be written.
template <class Pointer, class T>
using writes_to = std::enable_if_t<std::is_same_v<pointee_t<Pointer>, T>, int>;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

// Templates for several elements; `shape`: prefix of one of the aliases above. (name): it may be a macro of the program.
#define PIANOLA_SEVERAL_1(name, shape)                                             \
  template <class X, class R = detail::shape<X>>                                   \
  inline R(name)(const X& x) noexcept {                                            \
    R result{};                                                                    \
    for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = (name)(x[i]); \
    return result;                                                                 \
  }
#define PIANOLA_SEVERAL_2(name, shape)                                                   \
  template <class X, class Y, class R = detail::shape##_2<X, Y>>                         \
  inline R(name)(const X& x, const Y& y) noexcept {                                      \
    R result{};                                                                          \
    for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = (name)(x[i], y[i]); \
    return result;                                                                       \
  }
#define PIANOLA_SEVERAL_3(name, shape)                                                         \
  template <class X, class Y, class Z, class R = detail::shape##_3<X, Y, Z>>                   \
  inline R(name)(const X& x, const Y& y, const Z& z) noexcept {                                \
    R result{};                                                                                \
    for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = (name)(x[i], y[i], z[i]); \
    return result;                                                                             \
  }
// The second argument is one element for all.
#define PIANOLA_SEVERAL_AND_ONE(name, shape)                                          \
  template <class X, detail::only_several<X> = 0, class R = detail::shape<X>>         \
  inline R(name)(const X& x, detail::element_type_t<X> y) noexcept {                  \
    R result{};                                                                       \
    for (int i = 0; i < detail::element_count_v<R>; ++i) result[i] = (name)(x[i], y); \
    return result;                                                                    \
  }

// Functions of floating-point numbers: scalars and templates.
#define PIANOLA_FLOATS_1(name)                                                           \
  PIANOLA_SCALARS_1(name, T, static_cast<T>((detail::scalar::name)(detail::widened(x)))) \
  PIANOLA_SEVERAL_1(name, several_floats)
#define PIANOLA_FLOATS_2(name)                                                                 \
  PIANOLA_SCALARS_2(                                                                           \
      name, T, static_cast<T>((detail::scalar::name)(detail::widened(x), detail::widened(y)))) \
  PIANOLA_SEVERAL_2(name, several_floats)
#define PIANOLA_FLOATS_3(name)                                                                    \
  PIANOLA_SCALARS_3(name, T,                                                                      \
                    static_cast<T>((detail::scalar::name)(detail::widened(x), detail::widened(y), \
                                                          detail::widened(z))))                   \
  PIANOLA_SEVERAL_3(name, several_floats)
