// SPDX-License-Identifier: Apache-2.0
// Queries of devices that extensions add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/info.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace info {
namespace device {
struct num_compute_units : sycl::detail::info_descriptor<sycl::device, std::size_t> {};
}  // namespace device
}  // namespace info

namespace experimental {
namespace info {
namespace device {
/// Work-groups of one launch, in each dimension and in all.
template <int Dimensions>
struct max_work_groups : sycl::detail::info_descriptor<sycl::device, sycl::id<Dimensions>> {};
struct max_global_work_groups : sycl::detail::info_descriptor<sycl::device, std::size_t> {};
/// sycl_ext_oneapi_composite_device: the devices that the device is made of. Empty, as no device here is.
struct component_devices : sycl::detail::info_descriptor<sycl::device, std::vector<sycl::device>> {
};
/// The device that it is a part of. Throws exception (errc::invalid): none has aspect::ext_oneapi_is_component.
struct composite_device : sycl::detail::info_descriptor<sycl::device, sycl::device> {};
}  // namespace device
}  // namespace info

/// Those that are made of other devices: none.
std::vector<device> get_composite_devices();
}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace khr {
namespace info {
namespace device {
/// Work-groups of one launch, in each dimension and in all.
template <int Dimensions = 3>
struct max_work_group_range : sycl::detail::info_descriptor<sycl::device, sycl::range<Dimensions>> {
};
struct max_work_group_range_size : sycl::detail::info_descriptor<sycl::device, std::size_t> {};
}  // namespace device
}  // namespace info
}  // namespace khr

namespace detail {

template <class Index, int Dimensions>
Index most_groups(const device& d) {
  Index most{};
  for (int i = 0; i < Dimensions; ++i)
    most[i] = device_access::properties(d).max_work_groups[3 - Dimensions + i];
  return most;
}

template <int Dimensions>
struct device_info<ext::oneapi::experimental::info::device::max_work_groups<Dimensions>> {
  static id<Dimensions> get(const device& d) { return most_groups<id<Dimensions>, Dimensions>(d); }
};
/// The product, or the largest number if that is less.
template <>
std::size_t device_info<ext::oneapi::experimental::info::device::max_global_work_groups>::get(
    const device&);
template <>
std::size_t device_info<ext::oneapi::info::device::num_compute_units>::get(const device&);
template <int Dimensions>
struct device_info<khr::info::device::max_work_group_range<Dimensions>> {
  static range<Dimensions> get(const device& d) {
    return most_groups<range<Dimensions>, Dimensions>(d);
  }
};
template <>
std::size_t device_info<khr::info::device::max_work_group_range_size>::get(const device&);
template <>
std::vector<device> device_info<ext::oneapi::experimental::info::device::component_devices>::get(
    const device&);
template <>
device device_info<ext::oneapi::experimental::info::device::composite_device>::get(const device&);

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
