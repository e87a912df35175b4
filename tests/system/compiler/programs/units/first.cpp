// SPDX-License-Identifier: Apache-2.0
#define UNIT_VALUE 3
#include "shared_kernels.hpp"

void work_of_first(sycl::queue& queue, std::int64_t* data, float* reals) {
  add_of_unit(queue, data);
  rotate_in_groups(queue, data);
  rotate_in_groups(queue, reals);
}
