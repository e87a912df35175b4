// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>
#include <sycl/platform.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace usm {
enum class alloc : char;
}
namespace ext::oneapi::experimental {
class memory_pool;
}

namespace detail {
struct context_access;
template <class Descriptor>
struct context_info;
}  // namespace detail

/// One or several devices of one platform (SYCL 2020, 4.6.3). Copies share state and compare equal.
class context {
 public:
  /// Over the default device.
  explicit context(const property_list& properties = {}) : context(device(), properties) {}
  explicit context(async_handler handler, const property_list& properties = {})
      : context(device(), std::move(handler), properties) {}

  explicit context(const device& d, const property_list& properties = {})
      : context(d, async_handler(), properties) {}
  explicit context(const device& d, async_handler handler, const property_list& properties = {})
      : context(std::vector<device>{d}, std::move(handler), properties) {}

  /// Over all devices of the platform.
  explicit context(const platform& p, const property_list& properties = {})
      : context(p, async_handler(), properties) {}
  explicit context(const platform& p, async_handler handler, const property_list& properties = {})
      : context(p.get_devices(), std::move(handler), properties) {}

  /// Throws exception (errc::invalid) if there is no device in the list or they are of several
  /// platforms.
  explicit context(const std::vector<device>& devices, const property_list& properties = {})
      : context(devices, async_handler(), properties) {}
  explicit context(const std::vector<device>& devices, async_handler handler,
                   const property_list& properties = {}) {
    if (devices.empty())
      detail::throw_error(errc::invalid, "context: the list of devices is empty");
    for (const device& d : devices)
      if (d.get_platform() != devices.front().get_platform())
        detail::throw_error(errc::invalid,
                            "context: all devices of a context must be of one platform; make one "
                            "context per platform (buffers may be used in several)");
    state_ = std::make_shared<const state>(state{devices, std::move(handler), properties});
  }

  backend get_backend() const noexcept { return state_->devices.front().get_backend(); }
  platform get_platform() const { return state_->devices.front().get_platform(); }
  std::vector<device> get_devices() const { return state_->devices; }

  template <class Param>
  detail::info_result<Param, context> get_info() const {
    return detail::context_info<Param>::get(*this);
  }

  template <class Property>
  bool has_property() const noexcept {
    return state_->properties.has_property<Property>();
  }
  template <class Property>
  Property get_property() const {
    return state_->properties.get_property<Property>();
  }

  /// The pool that async_malloc takes memory from (sycl_ext_oneapi_async_memory_alloc). Throws exception (errc::invalid) if
  /// the device is not one of the context's.
  ext::oneapi::experimental::memory_pool ext_oneapi_get_default_memory_pool(const device& d,
                                                                            usm::alloc kind) const;

  friend bool operator==(const context& a, const context& b) noexcept {
    return a.state_ == b.state_;
  }
  friend bool operator!=(const context& a, const context& b) noexcept { return !(a == b); }

 private:
  friend struct detail::context_access;

  struct state {
    std::vector<device> devices;
    async_handler handler;
    property_list properties;
  };
  detail::shared_state<const state> state_;
};

namespace detail {

/// For the other classes of the interface.
struct context_access {
  static const async_handler& handler(const context& c) noexcept { return c.state_->handler; }
  /// Parts of a device are where it is.
  static bool contains(const context& c, const device& d) noexcept {
    for (const device& mine : c.state_->devices)
      if (is_or_descends_from(d, mine)) return true;
    return false;
  }
  static std::shared_ptr<const void> identity(const context& c) noexcept { return c.state_; }
  static std::size_t hash(const context& c) noexcept {
    return std::hash<const void*>()(c.state_.get());
  }
};

/// What a queue gets that is made from a device alone: one per platform, over all its devices, so that
/// such queues share it. Never destroyed: queues may outlive static objects.
inline context default_context(const device& d) {
  static const std::vector<context>& all = *new std::vector<context>([] {
    std::vector<context> contexts;
    for (const platform& p : platform::get_platforms()) contexts.push_back(context(p));
    return contexts;
  }());
  for (const context& c : all)
    if (context_access::contains(c, d)) return c;
  return context(d);
}

}  // namespace detail

#define SYCL_KHR_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_DEVICE_DEFAULT_CONTEXT 1

inline context platform::khr_get_default_context() const {
  return detail::default_context(get_devices().front());
}
inline context platform::ext_oneapi_get_default_context() const {
  return khr_get_default_context();
}
inline context device::ext_oneapi_get_default_context() const {
  return detail::default_context(*this);
}

namespace detail {

template <>
struct context_info<info::context::platform> {
  static platform get(const context& c) { return c.get_platform(); }
};
template <>
struct context_info<info::context::devices> {
  static std::vector<device> get(const context& c) { return c.get_devices(); }
};
template <>
struct context_info<info::context::atomic_memory_order_capabilities> {
  static std::vector<memory_order> get(const context&) { return all_memory_orders(); }
};
template <>
struct context_info<info::context::atomic_fence_order_capabilities> {
  static std::vector<memory_order> get(const context&) { return all_memory_orders(); }
};
template <>
struct context_info<info::context::atomic_memory_scope_capabilities> {
  static std::vector<memory_scope> get(const context&) { return all_memory_scopes(); }
};
template <>
struct context_info<info::context::atomic_fence_scope_capabilities> {
  static std::vector<memory_scope> get(const context&) { return all_memory_scopes(); }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::context> {
  std::size_t operator()(const sycl::context& c) const noexcept {
    return sycl::detail::context_access::hash(c);
  }
};
