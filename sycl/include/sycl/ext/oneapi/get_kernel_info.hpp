// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/kernel_id.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Throws exception (errc::invalid) if the program has no such kernel or no device of the context can run it.
template <class KernelName>
kernel kernel_in(const context& c) {
  const kernel_id id = get_kernel_id<KernelName>();
  return get_kernel_bundle<bundle_state::executable>(c, std::vector<kernel_id>{id}).get_kernel(id);
}

}  // namespace detail

namespace ext {
namespace oneapi {

/// Queries of a kernel by its name alone (sycl_ext_oneapi_get_kernel_info).
template <class KernelName, class Param>
typename Param::return_type get_kernel_info(const context& c) {
  return sycl::detail::kernel_in<KernelName>(c).template get_info<Param>();
}
template <class KernelName, class Param>
typename Param::return_type get_kernel_info(const context& c, const device& d) {
  return sycl::detail::kernel_in<KernelName>(c).template get_info<Param>(d);
}
template <class KernelName, class Param>
typename Param::return_type get_kernel_info(const queue& q) {
  return get_kernel_info<KernelName, Param>(q.get_context(), q.get_device());
}

}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
