// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "replay/executable/command_exchange.hpp"
#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

// Makes changes of nodes of the graph `origin` in what commands of `to` run, wherever they run what was finalized from it, at
// whatever depth. `buffers`: those of `origin`. False, and nothing has changed, if no command does. Throws user_error (invalid)
// if a graph that is run so would need another plan, or had no such node.
[[nodiscard]] bool change_bodies(graph_snapshot& to,
                                 const std::shared_ptr<const recorder::command_graph>& origin,
                                 const std::vector<node_change>& changes,
                                 const graph_snapshot& buffers);

}  // namespace pianola::runtime
