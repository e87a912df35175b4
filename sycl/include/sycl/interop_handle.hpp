// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// What a host task may take as its parameter (SYCL 2020, 4.10.2). Native handles of a backend are not
/// offered.
class interop_handle {
 public:
  interop_handle() = delete;

 private:
  friend class handler;
  explicit interop_handle(int) {}
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
