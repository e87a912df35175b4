// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/checked_size.hpp>

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

std::size_t checked_bytes(const char* who, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (!multiply(count, size, bytes) || static_cast<std::ptrdiff_t>(bytes) < 0)
    throw_error(errc::invalid,
                size == 1 ? fmt::format("{}: {} bytes are more than any memory has; is it a "
                                        "negative number?",
                                        who, count)
                          : fmt::format("{}: {} times {} bytes are more than any memory has; is "
                                        "the count a negative number?",
                                        who, count, size));
  return bytes;
}

void refuse_local_size(std::size_t count, std::size_t element_bytes) {
  throw_error(
      errc::memory_allocation,
      fmt::format("local_accessor: {} elements of {} bytes are more than local memory can be",
                  count, element_bytes));
}

std::size_t local_elements(std::size_t rows, std::size_t row_bytes, std::size_t element_bytes) {
  std::size_t count = 0;
  if (!multiply(rows, row_bytes / element_bytes, count)) refuse_local_size(rows, row_bytes);
  return count;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
