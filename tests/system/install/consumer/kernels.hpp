// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <sycl/sycl.hpp>

// The squares of 0 to n-1, computed on that device.
std::vector<int> squares(const sycl::device& where, std::size_t n);
