// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "graph/graph_schedule.hpp"

namespace pianola::host {

// Finds runs of items on the strand that may go piece by piece, and marks those that gain by it.
// `relations`: of each node. True if there is one.
bool form_piece_runs(std::vector<graph_schedule::item>& strand,
                     const std::vector<graph_node>& nodes,
                     const std::vector<planner::part_relations>& relations,
                     const piece_limits& limits);

}  // namespace pianola::host
