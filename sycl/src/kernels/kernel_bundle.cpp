// SPDX-License-Identifier: Apache-2.0
#include <sycl/kernel_bundle.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

const char* name_of(bundle_state state) noexcept {
  switch (state) {
    case bundle_state::input:
      return "input";
    case bundle_state::object:
      return "object";
    case bundle_state::executable:
      break;
  }
  return "executable";
}

bundle_data make_bundle(bundle_state state, const context& c, const std::vector<device>& devices,
                        const std::vector<kernel_id>& ids, bool need_all) {
  bundle_data data{c, check_bundle_devices("get_kernel_bundle", c, devices), {}, {}};
  for (const device& d : data.devices)
    if (!device_has_state(d, state))
      throw_error(errc::invalid, fmt::format("get_kernel_bundle: device '{}' has no bundles of "
                                             "state {}; ask has_kernel_bundle first",
                                             device_access::properties(d).name, name_of(state)));
  for (const kernel_id& id : ids) {
    if (kernel_runs_on_one_of(data.devices, id))
      add_once(data.kernels, id);
    else if (need_all)
      throw_error(
          errc::invalid,
          fmt::format(
              "get_kernel_bundle: kernel '{}' runs on none of the devices; ask is_compatible first",
              id.get_name()));
  }
  return data;
}

bool has_bundle(bundle_state state, const context& c, const std::vector<device>& devices,
                const std::vector<kernel_id>& ids, bool need_all) {
  const std::vector<device> unique = check_bundle_devices("has_kernel_bundle", c, devices);
  for (const device& d : unique)
    if (!device_has_state(d, state)) return false;
  const auto runs = [&](const kernel_id& id) { return kernel_runs_on_one_of(unique, id); };
  // None but those asked for: also if these are none.
  return need_all ? std::all_of(ids.begin(), ids.end(), runs)
                  : std::any_of(ids.begin(), ids.end(), runs);
}

/// One bundle of all; `devices` as for link. Throws exception (errc::invalid) where the bundles do not fit.
template <bundle_state To, bundle_state From>
static kernel_bundle<To> unite(const char* function,
                               const std::vector<kernel_bundle<From>>& bundles,
                               const std::vector<device>* devices) {
  if (bundles.empty())
    throw_error(errc::invalid, std::string(function) + ": the list of bundles is empty");
  const context c = bundles.front().get_context();
  bundle_data data{c, {}, {}, {}};
  for (const kernel_bundle<From>& b : bundles) {
    if (b.get_context() != c)
      throw_error(errc::invalid, std::string(function) + ": the bundles are of different contexts");
    for (const kernel_id& id : bundle_access::data(b).kernels) add_once(data.kernels, id);
    data.constants.merge(bundle_access::data(b).constants);
  }
  if (devices != nullptr) {
    data.devices = check_bundle_devices(function, c, *devices);
    for (const device& d : data.devices)
      for (const kernel_bundle<From>& b : bundles)
        if (!bundle_access::data(b).has(d))
          throw_error(errc::invalid, fmt::format("{}: device '{}' is not one of every bundle's",
                                                 function, device_access::properties(d).name));
  } else {
    // Those that all have in common.
    for (const device& d : bundles.front().get_devices()) {
      bool common = true;
      for (const kernel_bundle<From>& b : bundles) common = common && bundle_access::data(b).has(d);
      if (common) data.devices.push_back(d);
    }
    if (data.devices.empty())
      throw_error(errc::invalid, std::string(function) + ": the bundles have no device in common");
  }
  return bundle_access::make<To>(std::move(data));
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

kernel_bundle<bundle_state::executable> kernel::get_kernel_bundle() const {
  return kernel_bundle<bundle_state::executable>(data_);
}

bool is_compatible(const std::vector<kernel_id>& ids, const device& d) {
  for (const kernel_id& id : ids)
    if (!detail::kernel_runs_on(id, d)) return false;
  return true;
}

kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& input,
                                            const std::vector<device>& devices,
                                            const property_list&) {
  return detail::unite<bundle_state::object, bundle_state::input>("compile", {input}, &devices);
}

kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& input,
                                            const property_list& properties) {
  return compile(input, input.get_devices(), properties);
}

kernel_bundle<bundle_state::executable> link(
    const std::vector<kernel_bundle<bundle_state::object>>& objects,
    const std::vector<device>& devices, const property_list&) {
  return detail::unite<bundle_state::executable, bundle_state::object>("link", objects, &devices);
}

kernel_bundle<bundle_state::executable> link(
    const std::vector<kernel_bundle<bundle_state::object>>& objects, const property_list&) {
  return detail::unite<bundle_state::executable, bundle_state::object>("link", objects, nullptr);
}

kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& object,
                                             const std::vector<device>& devices,
                                             const property_list& properties) {
  return link(std::vector<kernel_bundle<bundle_state::object>>{object}, devices, properties);
}

kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& object,
                                             const property_list& properties) {
  return link(object, object.get_devices(), properties);
}

kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& input,
                                              const std::vector<device>& devices,
                                              const property_list&) {
  return detail::unite<bundle_state::executable, bundle_state::input>("build", {input}, &devices);
}

kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& input,
                                              const property_list& properties) {
  return build(input, input.get_devices(), properties);
}

bool device::AdaptiveCpp_has_compiled_kernels() const {
  const std::vector<kernel_id> all = get_kernel_ids();
  return all.empty() || std::any_of(all.begin(), all.end(), [this](const kernel_id& id) {
           return is_compatible(std::vector<kernel_id>{id}, *this);
         });
}

namespace detail {

bundle_data join_first(const bundle_data* first) {
  return bundle_data{first == nullptr ? context() : first->the_context, {}, {}, {}};
}

void join_more(bundle_data& all, const bundle_data& more) {
  if (more.the_context != all.the_context)
    throw_error(errc::invalid, "join: the bundles are of different contexts");
  for (const device& d : more.devices) add_once(all.devices, d);
  for (const kernel_id& id : more.kernels) add_once(all.kernels, id);
  all.constants.merge(more.constants);
}

}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
