// SPDX-License-Identifier: Apache-2.0
// Makes every kernel that the program launches somewhere known by its name before main.
#pragma once

#include <type_traits>

#include <pianola/runtime/kernels.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/internal_kernel.hpp>
#include <sycl/glue/kernel_launcher.hpp>

namespace pianola::glue {

/// Its address stands for the name of a kernel, which may be an incomplete type.
template <class Name>
inline constexpr char kernel_name_tag = 0;

inline namespace PIANOLA_SYCL_VERSION {

template <class Name, class Kernel, class Shape>
struct kernel_registrar {
  static const runtime::kernel_registration entry;
};
template <class Name, class Kernel, class Shape>
const runtime::kernel_registration kernel_registrar<Name, Kernel, Shape>::entry{
    std::is_base_of_v<internal_kernel, Kernel> ? nullptr : &kernel_name_tag<Name>,
    &describe_kernel<Name, Kernel, Shape>};

/// The kernel's description. Name: as for describe_kernel.
template <class Name, class Kernel, class Shape>
inline const model::kernel_descriptor& describe_registered_kernel() {
  static_cast<void>(&kernel_registrar<std::conditional_t<std::is_void_v<Name>, Kernel, Name>,
                                      Kernel, Shape>::entry);
  return describe_kernel<Name, Kernel, Shape>();
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace pianola::glue
