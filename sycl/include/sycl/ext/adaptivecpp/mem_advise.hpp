// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// A hint about shared memory, at once rather than in a command (AdaptiveCpp). No device of Pianola takes advice. Throws
/// exception (errc::invalid) for a null pointer with a size and for a device that is not one of the context's.
inline void mem_advise(const void* pointer, std::size_t bytes, int /*advice*/, const context& c,
                       const device& d) {
  if (pointer == nullptr && bytes != 0)
    detail::throw_error(errc::invalid, "mem_advise: the pointer is null");
  if (!detail::context_access::contains(c, d))
    detail::throw_error(errc::invalid, "mem_advise: the device is not one of the context's");
}
inline void mem_advise(const void* pointer, std::size_t bytes, int advice, const queue& q) {
  mem_advise(pointer, bytes, advice, q.get_context(), q.get_device());
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
