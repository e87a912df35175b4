// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Recorded only, where order_commands has followed window.planned_order: puts nodes into the order in which they start
// by the model, with all that they wait for known by now. Commands of a device stay in their order; what is new is
// where transfers are among them: as early as their data is there and their link is free, not right before who needs
// them. In a lane the first to be possible comes first then, and none holds up another one that was possible before.
void order_steps(window& window, const planning_state& state);

}  // namespace pianola::planner
