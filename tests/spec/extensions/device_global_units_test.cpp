// SPDX-License-Identifier: Apache-2.0
// Defines what kernels of device_global_test.cpp use: one object for all units.
#include <sycl/sycl.hpp>

#include "device_global_units.hpp"

namespace device_global_units {

exp::device_global<int> shared;
SYCL_EXTERNAL int add(int n) { return shared = shared + n; }
void add_here(sycl::queue& q, int n) {
  q.single_task([=] { shared = shared + n; });
}

}  // namespace device_global_units
