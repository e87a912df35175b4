// SPDX-License-Identifier: Apache-2.0
// Group algorithms as device code, with sub-groups of all sizes that devices have and some that they have
// not. The driver refuses a kernel whose work-items do not all exchange values together.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "on_device.hpp"

namespace pianola::test {

inline std::vector<std::uint32_t> device_sub_group_sizes() { return {1, 4, 16, 32, 64}; }

template <int D, class Kernel>
void launch(std::uint32_t sub_group_size, const sycl::nd_range<D>& space, const Kernel& kernel) {
  simulated_launch how = launch_of(space.get_global_range(), space.get_local_range());
  how.sub_group_size = sub_group_size;
  how.seed = sub_group_size % 3;
  on_device<form::nd_range, D>(kernel, how);
  // Makes the compiler see a kernel.
  static_cast<void>(&glue::describe_kernel<void, Kernel, glue::nd_range_shape<D>>);
}

}  // namespace pianola::test

#include <pianola/test/group_algorithm_cases.hpp>
