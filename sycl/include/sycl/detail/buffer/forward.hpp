// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// SYCL 2020, 4.7.1.
template <class T>
using buffer_allocator = std::allocator<T>;

template <class T, int Dimensions = 1, class AllocatorT = buffer_allocator<std::remove_const_t<T>>>
class buffer;

namespace detail {

template <class T>
inline constexpr bool is_buffer_class = false;
template <class T, int Dimensions, class AllocatorT>
inline constexpr bool is_buffer_class<buffer<T, Dimensions, AllocatorT>> = true;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
