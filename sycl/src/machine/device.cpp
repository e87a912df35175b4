// SPDX-License-Identifier: Apache-2.0
#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

std::vector<device> device::partition_by(const std::vector<std::size_t>& counts) const {
  return partition({pianola::model::partition_property::by_counts,
                    std::vector<std::uint64_t>(counts.begin(), counts.end()),
                    {}});
}

std::vector<device> device::partition(const pianola::model::partition& how) const {
  std::vector<device> parts;
  for (const pianola::model::device_id part :
       detail::translate([&] { return pianola::runtime::create_sub_devices(id_, how); }))
    parts.push_back(device(part));
  return parts;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

bool device::has(aspect a) const {
  return static_cast<unsigned>(a) < pianola::model::aspect_count &&
         (pianola::model::aspects_of(properties()) >> static_cast<unsigned>(a) & 1) != 0;
}

std::vector<device> device::get_devices(info::device_type type) {
  std::vector<device> chosen;
  for (const device& d : detail::all_devices()) {
    bool wanted = false;
    switch (type) {
      case info::device_type::all:
        wanted = true;
        break;
      case info::device_type::cpu:
        wanted = d.has(aspect::cpu);
        break;
      case info::device_type::gpu:
        wanted = d.has(aspect::gpu);
        break;
      case info::device_type::accelerator:
        wanted = d.has(aspect::accelerator);
        break;
      case info::device_type::custom:
        wanted = d.has(aspect::custom);
        break;
      case info::device_type::automatic:
        wanted = d == device();
        break;
      case info::device_type::host:
        break;  // SYCL 2020 has no host device
    }
    if (wanted) chosen.push_back(d);
  }
  return chosen;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

bool is_or_descends_from(const device& d, const device& other) noexcept {
  const pianola::model::device_id wanted = device_access::id(other);
  pianola::model::device_id at = device_access::id(d);
  while (at != wanted) {
    at = pianola::runtime::device(at).parent;
    if (!at.valid()) return false;
  }
  return true;
}

std::vector<device> all_devices() {
  std::vector<device> all;
  const std::size_t n = translate([] { return pianola::runtime::device_count(); });
  all.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    all.push_back(device_access::make(
        pianola::model::device_id(static_cast<pianola::model::device_id::rep>(i))));
  return all;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
