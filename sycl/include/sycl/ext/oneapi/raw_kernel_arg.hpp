// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {

/// Bytes of an object, for handler::set_arg (sycl_ext_oneapi_raw_kernel_arg). They must live as long as this view.
class raw_kernel_arg {
 public:
  raw_kernel_arg(const void* bytes, std::size_t count) : bytes_(bytes), count_(count) {}

  /// Pianola's own.
  const void* data() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return count_; }

 private:
  const void* bytes_;
  std::size_t count_;
};

namespace experimental {
using oneapi::raw_kernel_arg;
}  // namespace experimental

}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
