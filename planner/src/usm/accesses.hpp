// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/allocation.hpp>
#include <pianola/model/array_view.hpp>

#include "pianola/planner/graph_view.hpp"

namespace pianola::planner {

// What all commands do to allocations: what is listed, what operands of copies and fills say, and of kernels of which
// nothing is listed everything that they may do to what their arguments point to. Ascending by command.
// `outside`: gets what is done in front of allocations and behind them, which is in no other access.
[[nodiscard]] std::vector<model::usm_access> all_accesses(
    const graph_view& graph, model::array_view<const model::usm_access> listed,
    std::vector<model::usm_access>& outside);

}  // namespace pianola::planner
