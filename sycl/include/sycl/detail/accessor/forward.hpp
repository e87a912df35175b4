// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <sycl/accessor_variant.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/memory_enums.hpp>

// What class template argument deduction and buffer::get_access give. With either macro defined:
// the smallest variant that does what the arguments ask for; without: the standard accessor. It
// enters the types of the functions concerned, so that units compiled with and without it can be
// linked.
#if defined(ACPP_EXT_ACCESSOR_VARIANT_DEDUCTION) || defined(PIANOLA_EXT_ACCESSOR_VARIANT_DEDUCTION)
#define PIANOLA_DEDUCED_VARIANT(variant) ::sycl::accessor_variant::variant
#else
#define PIANOLA_DEDUCED_VARIANT(variant) ::sycl::accessor_variant::false_t
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class handler;

namespace detail {
template <class DataT>
inline constexpr access_mode default_access_mode =
    std::is_const<DataT>::value ? access_mode::read : access_mode::read_write;
}  // namespace detail

template <class DataT, int Dimensions = 1,
          access_mode AccessMode = detail::default_access_mode<DataT>,
          target AccessTarget = target::device,
          accessor_variant AccessorVariant = accessor_variant::false_t>
class accessor;

template <class DataT, int Dimensions = 1,
          access_mode AccessMode = detail::default_access_mode<DataT>>
class host_accessor;

template <class DataT, int Dimensions = 1>
class local_accessor;

namespace detail {

template <class T>
inline constexpr bool is_accessor_class = false;
template <class T, int D, access_mode M, target G, accessor_variant V>
inline constexpr bool is_accessor_class<accessor<T, D, M, G, V>> = true;
template <class T, int D, access_mode M>
inline constexpr bool is_accessor_class<host_accessor<T, D, M>> = true;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
