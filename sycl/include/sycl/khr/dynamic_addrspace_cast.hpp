// SPDX-License-Identifier: Apache-2.0
// sycl_khr_dynamic_addrspace_cast, and sycl_ext_oneapi_address_cast, which has the same under other names.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/address_space_query.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/khr/static_addrspace_cast.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Null if the pointer does not point into the space.
template <access::address_space Space, class T>
__attribute__((always_inline)) inline T* pointer_in_space(T* pointer) {
  static_assert(Space != access::address_space::constant_space,
                "dynamic_addrspace_cast: there is no cast to the constant address space");
  if constexpr (Space == access::address_space::generic_space) {
    return pointer;
  } else {
    if (pointer == nullptr) return nullptr;
    known_space known = space_of(pointer);
    if (known == known_space::of_lone_item) known = known_space::own;
    return may_be_in<Space>(known) ? pointer : nullptr;
  }
}

}  // namespace detail

namespace khr {

/// Of a kernel: the pointer if it points into the space, otherwise null. What it points to is memory that the calling
/// work-item may access.
template <access::address_space Space, class ElementType>
multi_ptr<ElementType, Space, access::decorated::no> dynamic_addrspace_cast(ElementType* ptr) {
  return multi_ptr<ElementType, Space, access::decorated::no>(detail::pointer_in_space<Space>(ptr));
}
template <access::address_space Space, class ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress> dynamic_addrspace_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> ptr) {
  return multi_ptr<ElementType, Space, DecorateAddress>(
      detail::pointer_in_space<Space>(ptr.get_raw()));
}

}  // namespace khr

namespace ext::oneapi::experimental {

inline constexpr access::address_space global_space = access::address_space::global_space;
inline constexpr access::address_space local_space = access::address_space::local_space;
inline constexpr access::address_space private_space = access::address_space::private_space;
inline constexpr access::address_space generic_space = access::address_space::generic_space;

template <access::address_space Space, class ElementType>
multi_ptr<ElementType, Space, access::decorated::no> static_address_cast(ElementType* ptr) {
  return khr::static_addrspace_cast<Space>(ptr);
}
template <access::address_space Space, class ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress> static_address_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> ptr) {
  return khr::static_addrspace_cast<Space>(ptr);
}
template <access::address_space Space, class ElementType>
multi_ptr<ElementType, Space, access::decorated::no> dynamic_address_cast(ElementType* ptr) {
  return khr::dynamic_addrspace_cast<Space>(ptr);
}
template <access::address_space Space, class ElementType, access::decorated DecorateAddress>
multi_ptr<ElementType, Space, DecorateAddress> dynamic_address_cast(
    multi_ptr<ElementType, access::address_space::generic_space, DecorateAddress> ptr) {
  return khr::dynamic_addrspace_cast<Space>(ptr);
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
