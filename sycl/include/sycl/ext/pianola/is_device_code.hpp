// SPDX-License-Identifier: Apache-2.0
// One parse of a program serves the host and all devices, as long as no macro is asked to tell them apart. This does so
// without.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace pianola {

/// True in code that runs on a device with images of its own (CUDA, HIP), and there a constant: what it
/// guards may call functions that the other side lacks. False on the host, and in kernels that run on the processors'
/// cores. A copy constructor can tell by it that a command group is being stored, and not a kernel running elsewhere.
inline __attribute__((always_inline)) bool is_device_code() noexcept {
#if defined(__PIANOLACC__)
  return __pianola_is_device() != 0;
#else
  return false;
#endif
}

}  // namespace pianola
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
