// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Recorded only: decides in which order commands become nodes. Lanes run their steps in this order, and backends prefer
// what comes first.
//
// Where there is room for all, that is window.planned_order: as commands start by the model that has placed them, in
// which the more urgent ones come first. A memory that is short of room matters more: then the commands stay as
// recorded, or, where window.edges_of_commands is given, get an order that these edges allow, in which less may have to
// move. Of the commands that could come next the one comes first for which the least has to be fetched, if those leave
// that have not been used for longest; of such, that which was recorded first. A temporary buffer is gone with its last
// command.
void order_commands(window& window, const planning_state& state);

}  // namespace pianola::planner
