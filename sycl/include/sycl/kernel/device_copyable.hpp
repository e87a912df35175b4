// SPDX-License-Identifier: Apache-2.0
// is_device_copyable (SYCL 2020, 3.13.1).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Whether kernels may get a T by copying its bytes. A program may specialise this for its own class, in namespace
/// sycl, and so promises that copying bytes is enough.
template <class T>
struct is_device_copyable : std::bool_constant<std::is_trivially_copyable_v<T>> {};

template <class T>
inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

// A class's const objects are what its others are, in a program's specialisations too.
template <class T>
struct is_device_copyable<const T> : is_device_copyable<T> {};
template <class T>
struct is_device_copyable<volatile T> : is_device_copyable<T> {};
template <class T>
struct is_device_copyable<const volatile T> : is_device_copyable<T> {};

template <class T, std::size_t N>
struct is_device_copyable<T[N]> : is_device_copyable<T> {};
template <class T, std::size_t N>
struct is_device_copyable<const T[N]> : is_device_copyable<T> {};
template <class T, std::size_t N>
struct is_device_copyable<volatile T[N]> : is_device_copyable<T> {};
template <class T, std::size_t N>
struct is_device_copyable<const volatile T[N]> : is_device_copyable<T> {};

template <class T, std::size_t N>
struct is_device_copyable<std::array<T, N>> : is_device_copyable<T> {};
template <class T>
struct is_device_copyable<std::array<T, 0>> : std::true_type {};
template <class T>
struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <class T, class U>
struct is_device_copyable<std::pair<T, U>>
    : std::bool_constant<is_device_copyable_v<T> && is_device_copyable_v<U>> {};
template <class... T>
struct is_device_copyable<std::tuple<T...>>
    : std::bool_constant<(true && ... && is_device_copyable_v<T>)> {};
template <class... T>
struct is_device_copyable<std::variant<T...>>
    : std::bool_constant<(true && ... && is_device_copyable_v<T>)> {};
/// Of the view, not of the characters, which a kernel must be able to reach.
template <class Char, class Traits>
struct is_device_copyable<std::basic_string_view<Char, Traits>> : std::true_type {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
