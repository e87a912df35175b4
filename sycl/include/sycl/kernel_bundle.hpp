// SPDX-License-Identifier: Apache-2.0
// SYCL 2020, 4.11. Kernels are compiled ahead of time: a bundle of state input or object holds the same code as an
// executable one. What building still decides are the values of specialization constants.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/detail/kernels/bundle_data.hpp>
#include <sycl/detail/kernels/function_kernels.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/device.hpp>
#include <sycl/device_image.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_id.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace info::device {
struct built_in_kernel_ids
    : sycl::detail::info_descriptor<sycl::device, std::vector<sycl::kernel_id>> {};
}  // namespace info::device

namespace detail {
struct bundle_access;

/// No device has kernels that the program does not bring along.
template <>
struct device_info<info::device::built_in_kernel_ids> {
  static std::vector<kernel_id> get(const device&) { return {}; }
};
}  // namespace detail

/// Device images for the devices of one context (SYCL 2020, 4.11.11). Copies share state and compare equal.
template <bundle_state State>
class kernel_bundle {
 public:
  using device_image_iterator = sycl::device_image_iterator<State>;

  kernel_bundle() = delete;

  bool empty() const noexcept { return data_->kernels.empty(); }
  backend get_backend() const noexcept { return data_->the_context.get_backend(); }
  context get_context() const { return data_->the_context; }
  std::vector<device> get_devices() const { return data_->devices; }

  bool has_kernel(const kernel_id& id) const noexcept { return data_->has(id); }
  bool has_kernel(const kernel_id& id, const device& d) const noexcept { return data_->has(id, d); }
  template <class KernelName>
  bool has_kernel() const noexcept {
    const auto* const entry =
        pianola::runtime::find_kernel(&pianola::glue::kernel_name_tag<KernelName>);
    return entry != nullptr && has_kernel(detail::kernel_id_access::make(*entry));
  }
  template <class KernelName>
  bool has_kernel(const device& d) const noexcept {
    const auto* const entry =
        pianola::runtime::find_kernel(&pianola::glue::kernel_name_tag<KernelName>);
    return entry != nullptr && has_kernel(detail::kernel_id_access::make(*entry), d);
  }
  std::vector<kernel_id> get_kernel_ids() const { return data_->kernels; }

  /// Throws exception (errc::invalid) if the bundle does not hold the kernel.
  template <bundle_state S = State>
  std::enable_if_t<S == bundle_state::executable, kernel> get_kernel(const kernel_id& id) const {
    if (!data_->has(id))
      detail::throw_error(errc::invalid, std::string("kernel_bundle::get_kernel: kernel '") +
                                             id.get_name() + "' is not in the bundle");
    return kernel(data_, id);
  }
  template <class KernelName, bundle_state S = State>
  std::enable_if_t<S == bundle_state::executable, kernel> get_kernel() const {
    return get_kernel(get_kernel_id<KernelName>());
  }

  /// Of a function (sycl_ext_oneapi_free_function_kernels).
  template <auto* Func, std::enable_if_t<detail::may_be_kernel<Func>, int> = 0>
  bool ext_oneapi_has_kernel() const {
    return has_kernel(detail::function_id<Func>());
  }
  template <auto* Func, std::enable_if_t<detail::may_be_kernel<Func>, int> = 0>
  bool ext_oneapi_has_kernel(const device& d) const {
    return has_kernel(detail::function_id<Func>(), d);
  }
  template <auto* Func, bundle_state S = State>
  std::enable_if_t<S == bundle_state::executable && detail::may_be_kernel<Func>, kernel>
  ext_oneapi_get_kernel() const {
    return get_kernel(detail::function_id<Func>());
  }

  /// Whether a kernel of the program reads specialization constants.
  bool contains_specialization_constants() const noexcept {
    return !empty() && detail::used_constants::count != 0;
  }
  /// Always false: values travel with a kernel's arguments.
  bool native_specialization_constant() const noexcept { return false; }
  template <auto& SpecName>
  bool has_specialization_constant() const noexcept {
    return !empty() && detail::constant_use<SpecName>::used;
  }
  /// For the kernels of the bundle that is built of this one.
  template <auto& SpecName, bundle_state S = State>
  std::enable_if_t<S == bundle_state::input> set_specialization_constant(
      detail::specialization_type<SpecName> value) {
    data_->constants.template set<SpecName>(value);
  }
  /// The value that was set, else the default.
  template <auto& SpecName>
  detail::specialization_type<SpecName> get_specialization_constant() const {
    return data_->constants.template get<SpecName>();
  }

  device_image_iterator begin() const {
    std::call_once(images_->made, [&] {
      for (const kernel_id& id : data_->kernels)
        images_->images.push_back(device_image<State>(data_, id));
    });
    return device_image_iterator(images_, 0);
  }
  device_image_iterator end() const {
    return device_image_iterator(images_, data_->kernels.size());
  }

  friend bool operator==(const kernel_bundle& a, const kernel_bundle& b) noexcept {
    return a.data_ == b.data_;
  }
  friend bool operator!=(const kernel_bundle& a, const kernel_bundle& b) noexcept {
    return !(a == b);
  }

 private:
  friend class kernel;
  friend struct detail::bundle_access;

  explicit kernel_bundle(std::shared_ptr<detail::bundle_data> data) : data_(std::move(data)) {}

  detail::shared_state<detail::bundle_data> data_;
  std::shared_ptr<detail::bundle_images<State>> images_ =
      std::make_shared<detail::bundle_images<State>>();
};

namespace detail {

/// For the other classes of the interface.
struct bundle_access {
  template <bundle_state State>
  static const bundle_data& data(const kernel_bundle<State>& b) noexcept {
    return *b.data_;
  }
  template <bundle_state State>
  static std::shared_ptr<const bundle_data> share(const kernel_bundle<State>& b) noexcept {
    return b.data_;
  }
  template <bundle_state State>
  static kernel_bundle<State> make(bundle_data data) {
    return kernel_bundle<State>(std::make_shared<bundle_data>(std::move(data)));
  }
};

const char* name_of(bundle_state state) noexcept;

/// The kernels of `ids` that one of the devices runs.
bundle_data make_bundle(bundle_state state, const context& c, const std::vector<device>& devices,
                        const std::vector<kernel_id>& ids, bool need_all);

/// What join() begins with, and what it adds. Null: there is no bundle.
bundle_data join_first(const bundle_data* first);
void join_more(bundle_data& all, const bundle_data& more);

bool has_bundle(bundle_state state, const context& c, const std::vector<device>& devices,
                const std::vector<kernel_id>& ids, bool need_all);

}  // namespace detail

/// SYCL 2020, 4.11.6. Throw exception (errc::invalid) if the list of devices is empty, if a device is not one of the
/// context's or lacks the aspect that the state needs (online_compiler, online_linker), or if a kernel that is asked
/// for by its id or name runs on none of the devices.
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& c, const std::vector<device>& devices) {
  return detail::bundle_access::make<State>(
      detail::make_bundle(State, c, devices, get_kernel_ids(), false));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& c, const std::vector<device>& devices,
                                       const std::vector<kernel_id>& ids) {
  return detail::bundle_access::make<State>(detail::make_bundle(State, c, devices, ids, true));
}
/// With the device images that the selector returns true for. It must give one answer for one image.
template <
    bundle_state State, class Selector,
    class = std::enable_if_t<std::is_invocable_r_v<bool, Selector&, const device_image<State>&>>>
kernel_bundle<State> get_kernel_bundle(const context& c, const std::vector<device>& devices,
                                       Selector selector) {
  const kernel_bundle<State> all = get_kernel_bundle<State>(c, devices);
  std::vector<kernel_id> chosen;
  for (const device_image<State>& image : all)
    if (selector(image))
      for (const kernel_id& id : all.get_kernel_ids())
        if (image.has_kernel(id)) detail::add_once(chosen, id);
  return get_kernel_bundle<State>(c, devices, chosen);
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& c) {
  return get_kernel_bundle<State>(c, c.get_devices());
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& c, const std::vector<kernel_id>& ids) {
  return get_kernel_bundle<State>(c, c.get_devices(), ids);
}
template <
    bundle_state State, class Selector,
    class = std::enable_if_t<std::is_invocable_r_v<bool, Selector&, const device_image<State>&>>>
kernel_bundle<State> get_kernel_bundle(const context& c, Selector selector) {
  return get_kernel_bundle<State>(c, c.get_devices(), std::move(selector));
}
template <class KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& c) {
  return get_kernel_bundle<State>(c, c.get_devices(), {get_kernel_id<KernelName>()});
}
template <class KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& c, const std::vector<device>& devices) {
  return get_kernel_bundle<State>(c, devices, {get_kernel_id<KernelName>()});
}

/// SYCL 2020, 4.11.7: whether get_kernel_bundle would give a bundle that is not empty. Throw exception
/// (errc::invalid) if the list of devices is empty or a device is not one of the context's.
template <bundle_state State>
bool has_kernel_bundle(const context& c, const std::vector<device>& devices) {
  return detail::has_bundle(State, c, devices, get_kernel_ids(), false);
}
template <bundle_state State>
bool has_kernel_bundle(const context& c, const std::vector<device>& devices,
                       const std::vector<kernel_id>& ids) {
  return detail::has_bundle(State, c, devices, ids, true);
}
template <bundle_state State>
bool has_kernel_bundle(const context& c) {
  return has_kernel_bundle<State>(c, c.get_devices());
}
template <bundle_state State>
bool has_kernel_bundle(const context& c, const std::vector<kernel_id>& ids) {
  return has_kernel_bundle<State>(c, c.get_devices(), ids);
}
template <class KernelName, bundle_state State>
bool has_kernel_bundle(const context& c) {
  return has_kernel_bundle<State>(c, {get_kernel_id<KernelName>()});
}
template <class KernelName, bundle_state State>
bool has_kernel_bundle(const context& c, const std::vector<device>& devices) {
  return has_kernel_bundle<State>(c, devices, {get_kernel_id<KernelName>()});
}

/// SYCL 2020, 4.11.8: whether the device has all that the kernels require (5.7), and there is code for it.
bool is_compatible(const std::vector<kernel_id>& ids, const device& d);
template <class KernelName>
bool is_compatible(const device& d) {
  return is_compatible({get_kernel_id<KernelName>()}, d);
}

/// SYCL 2020, 4.11.9: the kernels and devices of all; of no bundles an empty one of the default context. Throws exception
/// (errc::invalid) if they are of different contexts.
template <bundle_state State>
kernel_bundle<State> join(const std::vector<kernel_bundle<State>>& bundles) {
  detail::bundle_data data =
      detail::join_first(bundles.empty() ? nullptr : &detail::bundle_access::data(bundles.front()));
  for (const kernel_bundle<State>& b : bundles)
    detail::join_more(data, detail::bundle_access::data(b));
  return detail::bundle_access::make<State>(std::move(data));
}

/// SYCL 2020, 4.11.10. Throw exception (errc::invalid) if the bundles are of different contexts, or if the devices are
/// not all the bundles'.
kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& input,
                                            const std::vector<device>& devices,
                                            const property_list& = {});
kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& input,
                                            const property_list& properties = {});
kernel_bundle<bundle_state::executable> link(
    const std::vector<kernel_bundle<bundle_state::object>>& objects,
    const std::vector<device>& devices, const property_list& = {});
kernel_bundle<bundle_state::executable> link(
    const std::vector<kernel_bundle<bundle_state::object>>& objects, const property_list& = {});
kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& object,
                                             const std::vector<device>& devices,
                                             const property_list& properties = {});
kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& object,
                                             const property_list& properties = {});
kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& input,
                                              const std::vector<device>& devices,
                                              const property_list& = {});
kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& input,
                                              const property_list& properties = {});

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <sycl::bundle_state State>
struct std::hash<sycl::kernel_bundle<State>> {
  std::size_t operator()(const sycl::kernel_bundle<State>& b) const noexcept {
    return std::hash<const void*>()(sycl::detail::bundle_access::share(b).get());
  }
};
