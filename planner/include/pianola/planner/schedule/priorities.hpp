// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>

namespace pianola::planner {

inline constexpr int highest_priority = -5;
inline constexpr int lowest_priority = 0;

// A number per step: `highest_priority` for steps that nothing must delay, `lowest_priority` for those with the most time to
// spare. `costs[i]`: what step i takes; `waits[i]`: the steps before it that it waits for. All are the lowest where the
// steps form one chain, or where all are as urgent: there is nothing to choose then.
[[nodiscard]] std::vector<int> priorities(
    model::array_view<const double> costs,
    model::array_view<const model::array_view<const std::uint32_t>> waits);

}  // namespace pianola::planner
