// SPDX-License-Identifier: Apache-2.0
#include <sycl/context.hpp>

#include "memory_orders.hpp"

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

context::context(const property_list& properties) : context(device(), properties) {}

context::context(async_handler handler, const property_list& properties)
    : context(device(), std::move(handler), properties) {}

context::context(const device& d, const property_list& properties)
    : context(d, async_handler(), properties) {}

context::context(const device& d, async_handler handler, const property_list& properties)
    : context(std::vector<device>{d}, std::move(handler), properties) {}

context::context(const platform& p, const property_list& properties)
    : context(p, async_handler(), properties) {}

context::context(const platform& p, async_handler handler, const property_list& properties)
    : context(p.get_devices(), std::move(handler), properties) {}

context::context(const std::vector<device>& devices, const property_list& properties)
    : context(devices, async_handler(), properties) {}

context::context(const std::vector<device>& devices, async_handler handler,
                 const property_list& properties) {
  if (devices.empty()) detail::throw_error(errc::invalid, "context: the list of devices is empty");
  for (const device& d : devices)
    if (d.get_platform() != devices.front().get_platform())
      detail::throw_error(errc::invalid,
                          "context: all devices of a context must be of one platform; make one "
                          "context per platform (buffers may be used in several)");
  state_ = std::make_shared<const state>(state{devices, std::move(handler), properties});
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

context platform::khr_get_default_context() const {
  return detail::default_context(get_devices().front());
}

context platform::ext_oneapi_get_default_context() const { return khr_get_default_context(); }

context device::ext_oneapi_get_default_context() const { return detail::default_context(*this); }

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

context default_context(const device& d) {
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
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
template <class Descriptor>
struct answer;

template <class Descriptor>
typename Descriptor::return_type context_info<Descriptor>::get(const context& asked) {
  return answer<Descriptor>::get(asked);
}

template <>
struct answer<info::context::platform> {
  static platform get(const context& c) { return c.get_platform(); }
};
template struct context_info<info::context::platform>;
template <>
struct answer<info::context::devices> {
  static std::vector<device> get(const context& c) { return c.get_devices(); }
};
template struct context_info<info::context::devices>;
template <>
struct answer<info::context::atomic_memory_order_capabilities> {
  static std::vector<memory_order> get(const context&) { return all_memory_orders(); }
};
template struct context_info<info::context::atomic_memory_order_capabilities>;
template <>
struct answer<info::context::atomic_fence_order_capabilities> {
  static std::vector<memory_order> get(const context&) { return all_memory_orders(); }
};
template struct context_info<info::context::atomic_fence_order_capabilities>;
template <>
struct answer<info::context::atomic_memory_scope_capabilities> {
  static std::vector<memory_scope> get(const context&) { return all_memory_scopes(); }
};
template struct context_info<info::context::atomic_memory_scope_capabilities>;
template <>
struct answer<info::context::atomic_fence_scope_capabilities> {
  static std::vector<memory_scope> get(const context&) { return all_memory_scopes(); }
};
template struct context_info<info::context::atomic_fence_scope_capabilities>;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
