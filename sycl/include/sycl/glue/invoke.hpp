// SPDX-License-Identifier: Apache-2.0
// Calls of kernels, with the arguments that they take.
#pragma once

#include <type_traits>

#include <sycl/kernel/item.hpp>
#include <sycl/kernel_handler.hpp>

namespace pianola::glue {

/// What kernels see of an index: the item of a range is an item<D> (SYCL 2020, 4.9.4.2.2), made late so that
/// whoever walks the range need not carry offsets.
template <class Index>
struct seen_index {
  using type = Index;
};
template <int Dimensions>
struct seen_index<sycl::item<Dimensions, false>> {
  using type = sycl::item<Dimensions>;
};

/// The type of the index in a call of a kernel, whose other arguments are Others: the one that kernels see, unless the
/// kernel names an item without offset.
template <class Kernel, class Index, class... Others>
using index_for = std::conditional_t<
    std::is_invocable_v<const Kernel&, const typename seen_index<Index>::type&, Others...>,
    typename seen_index<Index>::type, Index>;

/// Calls the kernel with its index, and with a kernel_handler if it takes one.
template <class Kernel, class Index>
inline __attribute__((always_inline)) void invoke(const Kernel& kernel, const Index& index) {
  using with_handler = index_for<Kernel, Index, sycl::kernel_handler>;
  if constexpr (std::is_invocable_v<const Kernel&, const with_handler&, sycl::kernel_handler>)
    kernel(static_cast<const with_handler&>(index), sycl::kernel_handler());
  else
    kernel(static_cast<const index_for<Kernel, Index>&>(index));
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
      return std::is_invocable_v<const Kernel&,
                                 const index_for<Kernel, Index, sycl::kernel_handler>&,
                                 sycl::kernel_handler>;
  }
  static constexpr bool value = with_index<typename Shape::index>();
};

template <class Kernel, class Index>
inline constexpr bool takes_index =
    std::is_invocable_v<const Kernel&, const index_for<Kernel, Index>&> ||
    std::is_invocable_v<const Kernel&, const index_for<Kernel, Index, sycl::kernel_handler>&,
                        sycl::kernel_handler>;

}  // namespace pianola::glue
