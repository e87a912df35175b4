// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include <pianola/model/topology.hpp>

#include "graph_of_command.hpp"
#include "verify.hpp"

namespace pianola::planner {

// What `verify` is for plans, for loops and branches, whose commands `verify` takes for what they say of themselves: each graph's plan is right; what
// an iteration leaves is where the next one needs it, and the condition where it is looked at; and the command
// requires what the graphs need, and writes what they write, where each of them leaves it, and where it would be found if none
// of them ran. Shares no code with what makes such commands. `graphs` of a command stand next to each other, in their order.
[[nodiscard]] std::optional<violation> verify_bodies(const graph_view& graph,
                                                     const model::topology& topology,
                                                     const std::vector<graph_of_command>& graphs);

}  // namespace pianola::planner
