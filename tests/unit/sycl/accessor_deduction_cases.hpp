// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sycl/sycl.hpp>

namespace deduction_cases {

/// Empty, or which case deduced a wrong type.
std::string with_macro(sycl::buffer<int>& b, sycl::handler& g);

}  // namespace deduction_cases
