// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/sycl.hpp>

namespace device_global_units {

namespace exp = sycl::ext::oneapi::experimental;

extern exp::device_global<int> shared;
// Another unit's, on the device and by a kernel of its own.
SYCL_EXTERNAL int add(int n);
void add_here(sycl::queue& q, int n);

}  // namespace device_global_units
