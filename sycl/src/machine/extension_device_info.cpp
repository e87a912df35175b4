// SPDX-License-Identifier: Apache-2.0
// Answers to the queries of devices that extensions add.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/device_info.hpp>
#include <sycl/platform.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

std::vector<device> ext::oneapi::experimental::get_composite_devices() { return {}; }
std::vector<device> platform::ext_oneapi_get_composite_devices() const { return {}; }

namespace detail {

// A number that is one for programs that count in signed integers as well.
static std::size_t most_groups_in_all(const device& d) {
  std::ptrdiff_t product = 1;
  for (const std::uint64_t n : device_access::properties(d).max_work_groups)
    if (__builtin_mul_overflow(product, n, &product))
      return std::numeric_limits<std::ptrdiff_t>::max();
  return static_cast<std::size_t>(product);
}

template <>
std::size_t device_info<ext::oneapi::experimental::info::device::max_global_work_groups>::get(
    const device& d) {
  return most_groups_in_all(d);
}
template <>
std::size_t device_info<khr::info::device::max_work_group_range_size>::get(const device& d) {
  return most_groups_in_all(d);
}
template <>
std::size_t device_info<ext::oneapi::info::device::num_compute_units>::get(const device& d) {
  return device_access::properties(d).compute_units;
}
template <>
std::vector<device> device_info<ext::oneapi::experimental::info::device::component_devices>::get(
    const device&) {
  return {};
}
template <>
device device_info<ext::oneapi::experimental::info::device::composite_device>::get(const device&) {
  throw exception(
      errc::invalid,
      "device::get_info<composite_device>: the device is no part of a composite one, as "
      "aspect::ext_oneapi_is_component tells");
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
