// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/topology.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::tool {

// Whether planner::verify finds the plan right; prints what is wrong if not.
[[nodiscard]] bool is_right(const planner::graph_view& graph, const planner::plan& plan,
                            const model::topology& machine);

}  // namespace pianola::tool
