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
/// Answered in the library.
template <class Descriptor>
struct context_info {
  static typename Descriptor::return_type get(const context&);
};
}  // namespace detail

/// One or several devices of one platform (SYCL 2020, 4.6.3). Copies share state and compare equal.
class context {
 public:
  /// Over the default device.
  explicit context(const property_list& properties = {});
  explicit context(async_handler handler, const property_list& properties = {});

  explicit context(const device& d, const property_list& properties = {});
  explicit context(const device& d, async_handler handler, const property_list& properties = {});

  /// Over all devices of the platform.
  explicit context(const platform& p, const property_list& properties = {});
  explicit context(const platform& p, async_handler handler, const property_list& properties = {});

  /// Throws exception (errc::invalid) if there is no device in the list or they are of several
  /// platforms.
  explicit context(const std::vector<device>& devices, const property_list& properties = {});
  explicit context(const std::vector<device>& devices, async_handler handler,
                   const property_list& properties = {});

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
context default_context(const device& d);

}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::context> {
  std::size_t operator()(const sycl::context& c) const noexcept {
    return sycl::detail::context_access::hash(c);
  }
};
