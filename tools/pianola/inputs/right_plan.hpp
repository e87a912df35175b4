// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include <pianola/model/topology.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/planner/verify.hpp>

namespace pianola::tool {

// What planner::verify says of the plan; one stage of the work.
[[nodiscard]] std::optional<planner::violation> violation_of(const planner::graph_view& graph,
                                                             const planner::plan& plan,
                                                             const model::topology& machine);
// "step 3: why", or "the plan as a whole: why".
[[nodiscard]] std::string text_of(const planner::violation& v);
void print_violation(const planner::violation& v);

// Whether the plan is right; prints what is wrong if not.
[[nodiscard]] bool is_right(const planner::graph_view& graph, const planner::plan& plan,
                            const model::topology& machine);

}  // namespace pianola::tool
