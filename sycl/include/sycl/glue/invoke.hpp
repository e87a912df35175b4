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

/// Whether the calls above give the kernel a kernel_handler. Shape: index is the type of the index, void for a single
/// task; there is none where something else calls the kernel.
template <class Kernel, class Shape, class = void>
struct handler_taking {
  static constexpr bool value = false;
};
template <class Kernel, class Shape>
struct handler_taking<Kernel, Shape, std::void_t<typename Shape::index>> {
  template <class Index>
  static constexpr bool with_index() {
    if constexpr (std::is_void_v<Index>)
      return std::is_invocable_v<const Kernel&, sycl::kernel_handler>;
    else
      return std::is_invocable_v<const Kernel&, const Index&, sycl::kernel_handler>;
  }
  static constexpr bool value = with_index<typename Shape::index>();
};

template <class Kernel, class Index>
inline constexpr bool takes_index =
    std::is_invocable_v<const Kernel&, const Index&> ||
    std::is_invocable_v<const Kernel&, const Index&, sycl::kernel_handler>;

}  // namespace pianola::glue
