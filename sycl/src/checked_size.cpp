// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/checked_size.hpp>

#include <string>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

std::size_t checked_bytes(const char* who, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (!multiply(count, size, bytes))
    throw_error(errc::invalid, std::string(who) + ": " + std::to_string(count) + " times " +
                                   std::to_string(size) + " bytes are more than 2^64");
  return bytes;
}

void refuse_local_size(std::size_t count, std::size_t element_bytes) {
  throw_error(errc::memory_allocation, "local_accessor: " + std::to_string(count) +
                                           " elements of " + std::to_string(element_bytes) +
                                           " bytes are more than local memory can be");
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
