// SPDX-License-Identifier: Apache-2.0
// What kind of value a type of the kernel library is. The classes themselves are only declared here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

// In a namespace of its own, so that functions of namespace sycl are not candidates wherever one is passed: programs that
// have a bit_cast or a clamp of their own call it unqualified.
namespace detail::half_impl {
class half;
}
using half = detail::half_impl::half;
template <class DataT, int NumElements>
class vec;
template <class DataT, std::size_t NumElements>
class marray;

namespace ext::oneapi {
class bfloat16;
}

namespace detail {

// In a namespace of its own: its operators are then looked up for swizzles alone.
namespace swizzles {
/// Elements of a vec, in any order: what swizzle(), lo() and the like return. Source: a vec or const vec.
template <class Source, int... Indices>
class swizzled_vec;
}  // namespace swizzles
using swizzles::swizzled_vec;

/// Properties of a type that may be const or volatile, but is no reference.
template <class T>
struct type_shape {
  using element = T;
  /// What an operator makes of it: a swizzle's vec, everything else stays.
  using value = T;
  static constexpr int count = 1;
  static constexpr bool is_vec = false, is_swizzle = false, is_marray = false;
};
template <class T>
struct type_shape<const T> : type_shape<T> {};
template <class T>
struct type_shape<volatile T> : type_shape<T> {};
template <class T>
struct type_shape<const volatile T> : type_shape<T> {};
template <class T, int N>
struct type_shape<vec<T, N>> {
  using element = T;
  using value = vec<T, N>;
  static constexpr int count = N;
  static constexpr bool is_vec = true, is_swizzle = false, is_marray = false;
};
template <class T, std::size_t N>
struct type_shape<marray<T, N>> {
  using element = T;
  using value = marray<T, N>;
  static constexpr int count = static_cast<int>(N);
  static constexpr bool is_vec = false, is_swizzle = false, is_marray = true;
};
template <class Source, int... Indices>
struct type_shape<swizzled_vec<Source, Indices...>> {
  using element = typename type_shape<Source>::element;
  using value = vec<element, static_cast<int>(sizeof...(Indices))>;
  static constexpr int count = static_cast<int>(sizeof...(Indices));
  static constexpr bool is_vec = false, is_swizzle = true, is_marray = false;
};

template <class T>
inline constexpr bool is_vec_v = type_shape<T>::is_vec;
template <class T>
inline constexpr bool is_swizzle_v = type_shape<T>::is_swizzle;
template <class T>
inline constexpr bool is_marray_v = type_shape<T>::is_marray;
template <class T>
inline constexpr bool is_vec_or_swizzle_v = is_vec_v<T> || is_swizzle_v<T>;
/// Of one element, and none of the classes above.
template <class T>
inline constexpr bool is_single_v = !is_vec_or_swizzle_v<T> && !is_marray_v<T>;

/// T for anything that is no vec, swizzle or marray.
template <class T>
using element_type_t = typename type_shape<T>::element;
/// 1 for anything that is no vec, swizzle or marray.
template <class T>
inline constexpr int element_count_v = type_shape<T>::count;
/// The vec that a swizzle stands for; any other type without its qualifiers.
template <class T>
using value_type_of_t = std::remove_cv_t<typename type_shape<T>::value>;

/// The same shape with elements of another type; U itself for a scalar.
template <class T, class U>
struct with_element {
  using type = U;
};
template <class T, int N, class U>
struct with_element<vec<T, N>, U> {
  using type = vec<U, N>;
};
template <class T, std::size_t N, class U>
struct with_element<marray<T, N>, U> {
  using type = marray<U, N>;
};
template <class T, class U>
using with_element_t = typename with_element<value_type_of_t<T>, U>::type;

template <std::size_t Bytes>
struct integers_of_size;
template <>
struct integers_of_size<1> {
  using with_sign = std::int8_t;
  using without_sign = std::uint8_t;
};
template <>
struct integers_of_size<2> {
  using with_sign = std::int16_t;
  using without_sign = std::uint16_t;
};
template <>
struct integers_of_size<4> {
  using with_sign = std::int32_t;
  using without_sign = std::uint32_t;
};
template <>
struct integers_of_size<8> {
  using with_sign = std::int64_t;
  using without_sign = std::uint64_t;
};
/// The signed (unsigned) integer as large as T: elements of relational results and of masks.
template <class T>
using signed_like_t = typename integers_of_size<sizeof(T)>::with_sign;
template <class T>
using unsigned_like_t = typename integers_of_size<sizeof(T)>::without_sign;

template <class T>
inline constexpr bool is_half_v = std::is_same_v<std::remove_cv_t<T>, half>;
template <class T>
inline constexpr bool is_float_v = std::is_same_v<std::remove_cv_t<T>, float>;
template <class T>
inline constexpr bool is_double_v = std::is_same_v<std::remove_cv_t<T>, double>;
/// half, float, double: the types that the built-in functions know.
template <class T>
inline constexpr bool is_floating_scalar_v = is_half_v<T> || is_float_v<T> || is_double_v<T>;
/// All integers with the exception of bool.
template <class T>
inline constexpr bool is_integer_scalar_v =
    std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>;

/// The specification's names of groups of types (SYCL 2020, 4.17): scalars, vec, swizzles and marray.
template <class T>
inline constexpr bool is_genfloat_v = is_floating_scalar_v<element_type_t<T>>;
template <class T>
inline constexpr bool is_genfloatf_v = is_float_v<element_type_t<T>>;
template <class T>
inline constexpr bool is_genfloatd_v = is_double_v<element_type_t<T>>;
template <class T>
inline constexpr bool is_genfloath_v = is_half_v<element_type_t<T>>;
template <class T>
inline constexpr bool is_geninteger_v = is_integer_scalar_v<element_type_t<T>>;
template <class T>
inline constexpr bool is_igeninteger_v = is_geninteger_v<T> && std::is_signed_v<element_type_t<T>>;
template <class T>
inline constexpr bool is_ugeninteger_v =
    is_geninteger_v<T> && std::is_unsigned_v<element_type_t<T>>;
template <class T>
inline constexpr bool is_gentype_v = is_genfloat_v<T> || is_geninteger_v<T>;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
