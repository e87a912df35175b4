// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Recorded planning only: sets the validity from which the plan starts, such that a body that
// follows a body finds what it needs. This is the fixed point of "where is what valid after the
// commands", reached by going through them once from "everything on the host":
//  - Of an element that is written, what is valid afterwards follows from the first write on, the
//    same from any start (choose_route depends on the valid memories and the requirement alone).
//  - Of an element that is only read, everything it is read on is added to where it was valid, and
//    a second time adds nothing.
// A buffer that is used in one memory only starts valid there, without going through anything.
// Where options::entry names data, that goes before all this.
void choose_entry(window& window, planning_state& state);

}  // namespace pianola::planner
