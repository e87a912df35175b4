// SPDX-License-Identifier: Apache-2.0
// Calls of kernels, with the arguments that they take.
#pragma once

#include <type_traits>

#include <sycl/kernel_handler.hpp>

namespace pianola::glue {

/// Calls the kernel with its index, and with a kernel_handler if it takes one.
template <class Kernel, class Index>
inline __attribute__((always_inline)) void invoke(const Kernel& kernel, const Index& index) {
  if constexpr (std::is_invocable_v<const Kernel&, const Index&, sycl::kernel_handler>)
    kernel(index, sycl::kernel_handler());
  else
    kernel(index);
}

/// Calls the kernel of a single task.
template <class Kernel>
inline __attribute__((always_inline)) void invoke_task(const Kernel& kernel) {
  if constexpr (std::is_invocable_v<const Kernel&, sycl::kernel_handler>)
    kernel(sycl::kernel_handler());
  else
    kernel();
}

template <class Kernel, class Index>
inline constexpr bool takes_index =
    std::is_invocable_v<const Kernel&, const Index&> ||
    std::is_invocable_v<const Kernel&, const Index&, sycl::kernel_handler>;

}  // namespace pianola::glue
