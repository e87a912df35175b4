// SPDX-License-Identifier: Apache-2.0
#include <sycl/platform.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

std::vector<device> platform::get_devices(info::device_type type) const {
  std::vector<device> mine;
  for (const device& d : device::get_devices(type))
    if (d.get_platform() == *this) mine.push_back(d);
  return mine;
}

bool platform::has(aspect a) const {
  for (const device& d : get_devices())
    if (!d.has(a)) return false;
  return true;
}

std::vector<platform> platform::get_platforms() {
  std::vector<platform> all;
  for (const device& d : device::get_devices())
    if (d.get_platform().first_ == d) all.push_back(platform(d));
  return all;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

platform device::get_platform() const {
  for (const device& d : detail::all_devices())
    if (d.properties().backend == properties().backend) return platform(d);
  return platform(*this);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
template <class Descriptor>
struct answer;

template <class Descriptor>
typename Descriptor::return_type platform_info<Descriptor>::get(const platform& asked) {
  return answer<Descriptor>::get(asked.first_);
}

template <>
struct answer<info::platform::profile> {
  static std::string get(const device&) { return "FULL_PROFILE"; }
};
template struct platform_info<info::platform::profile>;
template <>
struct answer<info::platform::version> {
  static std::string get(const device& first) {
    return device_access::properties(first).driver_version;
  }
};
template struct platform_info<info::platform::version>;
template <>
struct answer<info::platform::name> {
  static std::string get(const device& first) {
    return "Pianola " + device_access::properties(first).backend;
  }
};
template struct platform_info<info::platform::name>;
template <>
struct answer<info::platform::vendor> {
  static std::string get(const device&) { return "Pianola"; }
};
template struct platform_info<info::platform::vendor>;
template <>
struct answer<info::platform::extensions> {
  static std::vector<std::string> get(const device&) { return {}; }
};
template struct platform_info<info::platform::extensions>;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
