// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/detail/kernels/specialization_constants.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/kernel_handler.hpp>

namespace pianola::glue {

/// A kernel that takes a kernel_handler, with the values of its specialization constants.
template <class Kernel>
struct kernel_with_constants {
  Kernel kernel;
  // In place of padding, which would hold what was in memory: an old accessor's cookie, for example.
  unsigned char filler[alignof(sycl::detail::constant_block) -
                       sizeof(Kernel) % alignof(sycl::detail::constant_block)] = {};
  sycl::detail::constant_block constants;

  /// Reducers, which come after the index, are lvalues.
  template <class Index, class... Reducers,
            class = std::enable_if_t<std::is_invocable_v<const Kernel&, const Index&, Reducers&...,
                                                         sycl::kernel_handler>>>
  __attribute__((always_inline)) void operator()(const Index& index, Reducers&... reducers) const {
    kernel(index, reducers..., sycl::detail::kernel_handler_access::make(&constants));
  }
  template <class Callee = Kernel,
            class = std::enable_if_t<std::is_invocable_v<const Callee&, sycl::kernel_handler>>>
  __attribute__((always_inline)) void operator()() const {
    kernel(sycl::detail::kernel_handler_access::make(&constants));
  }
  sycl::detail::properties_of_kernel_t<Kernel> get(
      sycl::ext::oneapi::experimental::properties_tag) const;  // asked for its type only
};

}  // namespace pianola::glue
