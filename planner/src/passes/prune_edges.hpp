// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Drops from window.edges what follows from the order within lanes or from other edges. Among the
// steps of one window the result is the transitive reduction: edges are looked at latest first, so
// whatever could imply an edge has been counted before it. Of steps of earlier windows one per lane
// stays, the latest. Costs O(edges * lanes), by the clocks that assign_lanes left.
void prune_edges(window& window, planning_state& state);

}  // namespace pianola::planner
