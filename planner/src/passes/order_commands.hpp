// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Recorded only, where window.edges_of_commands is given and a memory is short of room: fills window.sequence with another
// order of the commands that these edges allow, in which less may have to move. Of the commands that could come next the
// one comes first for which the least has to be fetched, if those leave that have not been used for longest; of such, that
// which was recorded first. A temporary buffer is gone with its last command.
void order_commands(window& window, const planning_state& state);

}  // namespace pianola::planner
