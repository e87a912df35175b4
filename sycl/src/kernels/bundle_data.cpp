// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/kernels/bundle_data.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

bool bundle_data::has(const kernel_id& id) const noexcept {
  for (const kernel_id& mine : kernels)
    if (mine == id) return true;
  return false;
}

bool bundle_data::has(const device& d) const noexcept {
  for (const device& mine : devices)
    if (is_or_descends_from(d, mine)) return true;
  return false;
}

bool bundle_data::has(const kernel_id& id, const device& d) const {
  return has(d) && has(id) && kernel_runs_on(id, d);
}

bool bundle_data::is_for_devices_of(const bundle_data& other) const noexcept {
  return the_context == other.the_context && devices.size() == other.devices.size() &&
         std::is_permutation(devices.begin(), devices.end(), other.devices.begin());
}

bool kernel_runs_on(const kernel_id& id, const device& d) {
  return translate([&] {
    return pianola::runtime::can_run(kernel_id_access::descriptor(id), device_access::id(d));
  });
}

bool kernel_runs_on_one_of(const std::vector<device>& devices, const kernel_id& id) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const device& d) { return kernel_runs_on(id, d); });
}

void add_once(std::vector<device>& devices, const device& d) {
  for (const device& known : devices)
    if (known == d) return;
  devices.push_back(d);
}

void add_once(std::vector<kernel_id>& kernels, const kernel_id& id) {
  for (const kernel_id& known : kernels)
    if (known == id) return;
  kernels.push_back(id);
}

std::vector<device> check_bundle_devices(const char* function, const context& c,
                                         const std::vector<device>& devices) {
  if (devices.empty())
    throw_error(errc::invalid, std::string(function) + ": the list of devices is empty");
  std::vector<device> unique;
  for (const device& d : devices) {
    if (!context_access::contains(c, d))
      throw_error(errc::invalid, fmt::format("{}: device '{}' is not one of the context's",
                                             function, device_access::properties(d).name));
    add_once(unique, d);
  }
  return unique;
}

bool device_has_state(const device& d, bundle_state state) {
  switch (state) {
    case bundle_state::input:
      return d.has(aspect::online_compiler);
    case bundle_state::object:
      return d.has(aspect::online_linker);
    case bundle_state::executable:
      break;
  }
  return true;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
