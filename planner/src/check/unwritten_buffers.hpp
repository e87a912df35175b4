// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "pianola/planner/check/check.hpp"
#include "pianola/planner/graph_view.hpp"

namespace pianola::planner::checking {

// Reads of what no command before has written, of buffers that had nothing in them: of each command and buffer the first
// bytes. Certain is what copies read, and what the graph lists, where the command itself writes none of it. With
// `suspicions` also what it writes itself, and what an accessor names that only reads. Whatever a command may write counts
// as written.
[[nodiscard]] std::vector<finding> reads_of_unwritten_buffers(const graph_view& graph,
                                                              bool suspicions);

}  // namespace pianola::planner::checking
