// SPDX-License-Identifier: Apache-2.0
// How the built-in functions take scalars (SYCL 2020, 4.17). The specification has an overload for each type; here they
// are templates that take the same arguments with the same results but yield to every other function that fits as
// well: after `using namespace sycl` a call of sqrt with a double would else be ambiguous with the C library's, and a
// program's own clamp with this one. The empty pack behind the arguments makes a template yield to templates.
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/half.hpp>
#include <sycl/kernel/type_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// The overloads of the specification, to be asked which one a call would take.
namespace overloads {
float taken(float);
double taken(double);
half taken(half);
float taken(float, float);
double taken(double, double);
half taken(half, half);
float taken(float, float, float);
double taken(double, double, double);
half taken(half, half, half);
}  // namespace overloads

/// `Result` for a T that is half, float or double, and an empty pack.
template <std::size_t Rest, class Result, class T, class U = T, class V = T>
using if_floating =
    std::enable_if_t<Rest == 0 && !std::is_const_v<T> && !std::is_volatile_v<T> &&
                         is_floating_scalar_v<T> && std::is_same_v<T, U> && std::is_same_v<T, V>,
                     Result>;
/// T, if it is an integer other than bool.
template <std::size_t Rest, class T, class U = T, class V = T>
using if_integer =
    std::enable_if_t<Rest == 0 && !std::is_const_v<T> && !std::is_volatile_v<T> &&
                         is_integer_scalar_v<T> && std::is_same_v<T, U> && std::is_same_v<T, V>,
                     T>;

template <class First, class... More>
inline constexpr bool are_same_scalars =
    is_floating_scalar_v<First> &&
    (std::is_same_v<std::remove_cv_t<First>, std::remove_cv_t<More>> && ...);
/// half, float or double: what arguments that are not all of one of these types convert to.
template <std::size_t Rest, class... X>
using converted = std::enable_if_t<Rest == 0 && (is_single_v<X> || ...) && !are_same_scalars<X...>,
                                   decltype(overloads::taken(std::declval<const X&>()...))>;

/// half is computed in float.
constexpr float widened(float x) noexcept { return x; }
constexpr double widened(double x) noexcept { return x; }
constexpr float widened(half x) noexcept { return static_cast<float>(x); }

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

// Both templates of a function of one, two, three scalars. result, value: in terms of T, and of x, y, z, which are Ts.
// The unnamed first parameter keeps the types that a program names from the template for arguments that convert.
#define PIANOLA_SCALARS_1(name, result, value)                                                \
  template <class T, class... Rest>                                                           \
  constexpr detail::if_floating<sizeof...(Rest), result, T>(name)(T x, Rest...) noexcept {    \
    return value;                                                                             \
  }                                                                                           \
  template <int = 0, class X, class... Rest, class T = detail::converted<sizeof...(Rest), X>> \
  constexpr result(name)(const X& x_given, Rest...) noexcept {                                \
    const T x = static_cast<T>(x_given);                                                      \
    return value;                                                                             \
  }
#define PIANOLA_SCALARS_2(name, result, value)                                                     \
  template <class T, class U = T, class... Rest>                                                   \
  constexpr detail::if_floating<sizeof...(Rest), result, T, U>(name)(T x, T y, Rest...) noexcept { \
    return value;                                                                                  \
  }                                                                                                \
  template <int = 0, class X, class Y, class... Rest,                                              \
            class T = detail::converted<sizeof...(Rest), X, Y>>                                    \
  constexpr result(name)(const X& x_given, const Y& y_given, Rest...) noexcept {                   \
    const T x = static_cast<T>(x_given), y = static_cast<T>(y_given);                              \
    return value;                                                                                  \
  }
#define PIANOLA_SCALARS_3(name, result, value)                                                     \
  template <class T, class U = T, class V = T, class... Rest>                                      \
  constexpr detail::if_floating<sizeof...(Rest), result, T, U, V>(name)(T x, T y, T z,             \
                                                                        Rest...) noexcept {        \
    return value;                                                                                  \
  }                                                                                                \
  template <int = 0, class X, class Y, class Z, class... Rest,                                     \
            class T = detail::converted<sizeof...(Rest), X, Y, Z>>                                 \
  constexpr result(name)(const X& x_given, const Y& y_given, const Z& z_given, Rest...) noexcept { \
    const T x = static_cast<T>(x_given), y = static_cast<T>(y_given), z = static_cast<T>(z_given); \
    return value;                                                                                  \
  }
