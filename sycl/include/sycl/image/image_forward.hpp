// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <sycl/detail/accessor/forward.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/image/image_format.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// SYCL 2020, 4.7.1.
using image_allocator = std::allocator<std::byte>;

template <int Dimensions = 1, typename AllocatorT = image_allocator>
class unsampled_image;
template <int Dimensions = 1, typename AllocatorT = image_allocator>
class sampled_image;

template <typename DataT, int Dimensions, access_mode AccessMode,
          image_target AccessTarget = image_target::device>
class unsampled_image_accessor;
template <typename DataT, int Dimensions = 1,
          access_mode AccessMode = detail::default_access_mode<DataT>>
class host_unsampled_image_accessor;
template <typename DataT, int Dimensions, image_target AccessTarget = image_target::device>
class sampled_image_accessor;
template <typename DataT, int Dimensions>
class host_sampled_image_accessor;

namespace detail {

template <class T>
inline constexpr bool is_image_class = false;
template <int Dimensions, class AllocatorT>
inline constexpr bool is_image_class<unsampled_image<Dimensions, AllocatorT>> = true;
template <int Dimensions, class AllocatorT>
inline constexpr bool is_image_class<sampled_image<Dimensions, AllocatorT>> = true;

/// An image accessor takes property::no_init as other accessors do.
template <class DataT, int D, access_mode M, image_target G>
inline constexpr bool is_accessor_class<unsampled_image_accessor<DataT, D, M, G>> = true;
template <class DataT, int D, access_mode M>
inline constexpr bool is_accessor_class<host_unsampled_image_accessor<DataT, D, M>> = true;

struct image_access;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
