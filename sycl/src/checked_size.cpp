// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/checked_size.hpp>

#include <string>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

std::size_t checked_bytes(const char* who, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (!multiply(count, size, bytes))
    throw_error(errc::invalid,
                fmt::format("{}: {} times {} bytes are more than 2^64", who, count, size));
  return bytes;
}

void refuse_local_size(std::size_t count, std::size_t element_bytes) {
  throw_error(
      errc::memory_allocation,
      fmt::format("local_accessor: {} elements of {} bytes are more than local memory can be",
                  count, element_bytes));
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
