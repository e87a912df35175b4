// SPDX-License-Identifier: Apache-2.0
// sycl_ext_intel_usm_address_spaces: pointers that say whether they point into a device's or the host's allocations of
// unified shared memory. No device of Pianola tells the two from other global memory, so both are global pointers.
#pragma once

#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/version.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::intel {

template <class ElementType, access::decorated IsDecorated = access::decorated::legacy>
using device_ptr = global_ptr<ElementType, IsDecorated>;
template <class ElementType, access::decorated IsDecorated = access::decorated::legacy>
using host_ptr = global_ptr<ElementType, IsDecorated>;

template <class ElementType>
using raw_device_ptr = device_ptr<ElementType, access::decorated::no>;
template <class ElementType>
using raw_host_ptr = host_ptr<ElementType, access::decorated::no>;
template <class ElementType>
using decorated_device_ptr = device_ptr<ElementType, access::decorated::yes>;
template <class ElementType>
using decorated_host_ptr = host_ptr<ElementType, access::decorated::yes>;

}  // namespace ext::intel

// As the extension's first version had them.
using ext::intel::device_ptr;
using ext::intel::host_ptr;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
