// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace sycl {
inline namespace v1 {
class device;
}
}  // namespace sycl

// The squares of 0 to n-1, computed on that device.
std::vector<int> squares(const sycl::device& where, std::size_t n);
