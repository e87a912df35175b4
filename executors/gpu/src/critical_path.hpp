// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/executors/backend.hpp>

namespace pianola::gpu {

// A number per step for kernel_launch.priority: -5 for steps that nothing must delay, 0 for those with the most
// time to spare. All 0 where the steps form one chain: there is nothing to choose then.
[[nodiscard]] std::vector<int> priorities(model::array_view<const executors::graph_step> steps);

}  // namespace pianola::gpu
