// SPDX-License-Identifier: Apache-2.0
// Properties of images (SYCL 2020, 4.7.3.3). Each is the property of buffers of the same name under another
// name: an image's texels live in a buffer.
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/image/image_forward.hpp>
#include <sycl/properties.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace property::image {

class use_host_ptr : public buffer::use_host_ptr {
 public:
  using same_property_as = buffer::use_host_ptr;
  use_host_ptr() = default;
  explicit use_host_ptr(const same_property_as&) {}
};
class use_mutex : public buffer::use_mutex {
 public:
  using same_property_as = buffer::use_mutex;
  using same_property_as::use_mutex;
  explicit use_mutex(const same_property_as& same) : same_property_as(same) {}
};
class context_bound : public buffer::context_bound {
 public:
  using same_property_as = buffer::context_bound;
  using same_property_as::context_bound;
  explicit context_bound(const same_property_as& same) : same_property_as(same) {}
};

}  // namespace property::image

template <>
struct is_property<property::image::use_host_ptr>
    : detail::known_property<detail::property_key("property::image::use_host_ptr")> {};
template <>
struct is_property<property::image::use_mutex>
    : detail::known_property<detail::property_key("property::image::use_mutex")> {};
template <>
struct is_property<property::image::context_bound>
    : detail::known_property<detail::property_key("property::image::context_bound")> {};

template <class T>
struct is_property_of<property::image::use_host_ptr, T>
    : std::bool_constant<detail::is_image_class<T>> {};
template <class T>
struct is_property_of<property::image::use_mutex, T>
    : std::bool_constant<detail::is_image_class<T>> {};
template <class T>
struct is_property_of<property::image::context_bound, T>
    : std::bool_constant<detail::is_image_class<T>> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
