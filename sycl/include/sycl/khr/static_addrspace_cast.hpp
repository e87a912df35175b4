// SPDX-License-Identifier: Apache-2.0
// sycl_khr_static_addrspace_cast.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/multi_ptr.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace khr {

/// `ptr` must point into the space, or be null.
template <access::address_space Space, class ElementType>
constexpr multi_ptr<ElementType, Space, access::decorated::no> static_addrspace_cast(
    ElementType* ptr) noexcept {
  static_assert(Space != access::address_space::constant_space,
                "static_addrspace_cast: there is no cast to the constant address space");
  return multi_ptr<ElementType, Space, access::decorated::no>(ptr);
}

template <access::address_space Space, class ElementType, access::decorated DecorateAddress>
constexpr multi_ptr<ElementType, Space, DecorateAddress> static_addrspace_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> ptr) noexcept {
  static_assert(Space != access::address_space::constant_space,
                "static_addrspace_cast: there is no cast to the constant address space");
  return multi_ptr<ElementType, Space, DecorateAddress>(ptr.get_raw());
}

}  // namespace khr
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
