// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "pianola/host/host_graph.hpp"

namespace pianola::host {

// What a step in parts still has to do with the steps before it.
struct part_relations {
  // Steps in parts of which it needs only the same part, on its own strand.
  std::vector<std::uint32_t> open;
  // Steps of which all parts have finished when a part of it starts. What those follow is not listed.
  std::vector<std::uint32_t> ended;
  bool in_parts = false;
};

// Finds runs of items on the strand that may go piece by piece, and marks those that gain by it.
// `relations`: of each node. True if there is one.
bool form_piece_runs(std::vector<graph_schedule::item>& strand,
                     const std::vector<graph_node>& nodes,
                     const std::vector<part_relations>& relations, const piece_limits& limits);

}  // namespace pianola::host
