// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "geometry.hpp"

namespace pianola::model {

// What a kernel's attributes or properties demand of its launches. Zero: nothing.
struct kernel_requirements {
  std::uint32_t sub_group_size = 0;
  extent3 work_group_size{{0, 0, 0}};  // padded with ones on the left; all zero or none
  std::uint64_t aspects = 0;           // set of model::aspect
  // Not a demand but an offer: it may be started before the kernels in front of it have finished, because it waits
  // for them itself.
  bool dependent_launch = false;
};

}  // namespace pianola::model
