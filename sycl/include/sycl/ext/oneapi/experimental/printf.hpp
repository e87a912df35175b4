// SPDX-License-Identifier: Apache-2.0
// printf for kernels (DPC++'s experimental builtins). What it prints appears as the kernel runs, so the output of several
// work-items comes in any order; sycl::stream keeps expressions together.
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/// As std::printf. Returns what that returns; a GPU's own printf counts differently. Format: char, in the constant address
/// space perhaps, as DPC++ wants it where __SYCL_DEVICE_ONLY__ is defined.
template <class Format, class... Arguments>
int printf(const Format* format, Arguments... arguments) {
  // No other cast leaves the address space, which is nothing to the processor's types.
  return __builtin_printf((const char*)format, arguments...);
}

#pragma GCC diagnostic pop

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
