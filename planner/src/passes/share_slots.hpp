// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Recorded only. Temporary buffers get their places in the memories in which there is room for all: one for each memory
// that they are used in, over another one's if the waits and lanes of the plan put all users of one before all users of
// the other anyway. Nothing has to wait for a place.
void share_slots(window& window, const planning_state& state);

}  // namespace pianola::planner
