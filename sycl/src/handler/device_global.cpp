// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/oneapi/experimental/device_global.hpp>

#include <fmt/format.h>

#include <pianola/runtime/device_variables.hpp>

#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

void* device_global_bytes(const device* where, void* variable, std::size_t size, std::size_t bytes,
                          std::size_t offset) {
  if (offset > size || bytes > size - offset)
    throw_error(
        errc::invalid,
        fmt::format("device_global: a copy of {} bytes from byte {} on, of a variable of {}", bytes,
                    offset, size));
  void* const begin = where == nullptr ? variable : translate([&] {
    return pianola::runtime::find_device_variable(device_access::id(*where), variable);
  });
  return static_cast<char*>(begin) + offset;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
