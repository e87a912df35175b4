// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"

namespace pianola::planner {

// Recorded planning only: fills plan.contract, plan.exit, plan.accesses and plan.lanes from the state
// that the passes have left.
//  - contract: what steps took from before the plan, and where;
//  - exit: what the plan wrote, and where it is valid now. Only written elements change their
//    validity: from the entry of choose_entry, everything that is only read is where it is read;
//  - accesses: the pages of all requirements, and whether anyone writes them.
// Boxes are merged, so that comparing with a live state costs in proportion to few boxes.
void summarise(const planning_state& state, plan& out);

}  // namespace pianola::planner
