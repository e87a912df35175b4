// SPDX-License-Identifier: Apache-2.0
// Whether a function that was declared by ourselves can be called as the vendor declares it.
#pragma once
#include <type_traits>

namespace pianola::test {

// Passed in the same way: pointers, handles and integers of one size each, floating-point numbers.
template <class A, class B>
inline constexpr bool same_passing =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
    std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
    (std::is_integral_v<A> || std::is_enum_v<A>) == (std::is_integral_v<B> || std::is_enum_v<B>);

// What pointers to data point to must be passed in the same way, too; structures are compared elsewhere.
template <class A, class B>
constexpr bool same_parameter() {
  if constexpr (!same_passing<A, B>) {
    return false;
  } else if constexpr (std::is_pointer_v<A>) {
    using P = std::remove_cv_t<std::remove_pointer_t<A>>;
    using Q = std::remove_cv_t<std::remove_pointer_t<B>>;
    if constexpr (std::is_scalar_v<P> && std::is_scalar_v<Q>)
      return same_passing<P, Q>;
    else
      return std::is_function_v<P> == std::is_function_v<Q>;
  } else {
    return true;
  }
}

template <class Ours, class Theirs>
struct same_shape : std::false_type {};
template <class R, class S, class... A, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct same_shape<R (*)(A...), S (*)(B...)>
    : std::bool_constant<same_passing<R, S> && (same_parameter<A, B>() && ...)> {};

}  // namespace pianola::test
