// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {
namespace this_thread {

inline device& current_device_of_thread() {
  static thread_local device current;
  return current;
}

/// What this thread set last; the default device before (sycl_ext_oneapi_current_device).
inline device get_current_device() { return current_device_of_thread(); }
inline void set_current_device(device d) { current_device_of_thread() = d; }

}  // namespace this_thread
}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
