// SPDX-License-Identifier: Apache-2.0
// Hints about memory from oneAPI: accepted where memory is made, and without effect on Pianola's devices.
#pragma once

#include <type_traits>

#include <sycl/detail/buffer/forward.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/properties.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::property::usm {

/// Kernels only read the allocation (sycl_ext_oneapi_usm_device_read_only).
class device_read_only {};

}  // namespace ext::oneapi::property::usm

namespace ext::oneapi::property::buffer {

/// The buffer's storage on the host is to be memory that devices copy from fast
/// (sycl_ext_oneapi_use_pinned_host_memory_property): where that matters, it is.
class use_pinned_host_memory {};

}  // namespace ext::oneapi::property::buffer

template <>
struct is_property<ext::oneapi::property::usm::device_read_only>
    : detail::known_property<detail::property_key("ext::oneapi::property::usm::device_read_only")> {
};
template <>
struct is_property<ext::oneapi::property::buffer::use_pinned_host_memory>
    : detail::known_property<detail::property_key(
          "ext::oneapi::property::buffer::use_pinned_host_memory")> {};
template <class T>
struct is_property_of<ext::oneapi::property::buffer::use_pinned_host_memory, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
