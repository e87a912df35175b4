// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sycl {
inline namespace v1 {

/// What a host task may take as its parameter (SYCL 2020, 4.10.2). Native handles of a backend are not
/// offered.
class interop_handle {
 public:
  interop_handle() = delete;

 private:
  friend class handler;
  explicit interop_handle(int) {}
};

}  // namespace v1
}  // namespace sycl
