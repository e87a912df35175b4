// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
/// Answered in the library.
template <class Descriptor>
struct platform_info {
  static typename Descriptor::return_type get(const platform&);
};
}  // namespace detail

/// The devices of one backend (SYCL 2020, 4.6.2).
class platform {
 public:
  /// What queues made without a context use: all devices of the platform (sycl_khr_default_context).
  context khr_get_default_context() const;
  context ext_oneapi_get_default_context() const;

  /// The platform of the default device.
  platform() : platform(device().get_platform()) {}

  /// The platform of the device that the selector prefers. Throws exception (errc::runtime) if it rejects
  /// every device.
  template <class DeviceSelector,
            class = std::enable_if_t<detail::is_device_selector<DeviceSelector>>>
  explicit platform(const DeviceSelector& selector) : platform(device(selector).get_platform()) {}

  backend get_backend() const noexcept { return first_.get_backend(); }

  std::vector<device> get_devices(info::device_type type = info::device_type::all) const;
  /// Devices that are made of others (sycl_ext_oneapi_composite_device): none.
  std::vector<device> ext_oneapi_get_composite_devices() const;

  template <class Param>
  detail::info_result<Param, platform> get_info() const {
    return detail::platform_info<Param>::get(*this);
  }

  /// Whether all devices have the aspect.
  bool has(aspect a) const;
  /// Deprecated by SYCL 2020; no platform has an OpenCL extension.
  bool has_extension(const std::string&) const { return false; }

  static std::vector<platform> get_platforms();

  friend bool operator==(const platform& a, const platform& b) noexcept {
    return a.first_ == b.first_;
  }
  friend bool operator!=(const platform& a, const platform& b) noexcept { return !(a == b); }

 private:
  friend class device;
  friend struct std::hash<platform>;
  template <class Descriptor>
  friend struct detail::platform_info;

  // Named by its first device.
  explicit platform(const device& first) noexcept : first_(first) {}

  device first_;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::platform> {
  std::size_t operator()(const sycl::platform& p) const noexcept {
    return std::hash<sycl::device>()(p.first_);
  }
};
