// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Puts what one command lacks in order of level, buffer, memories and place.
void sort_outdated(std::vector<outdated_box>& outdated);

// The same, and makes few boxes of it: boxes of one buffer that go between the same memories at the
// same level become as few as merge_boxes finds.
// An element never occurs twice, and none that was not outdated.
void coalesce_outdated(std::vector<outdated_box>& outdated, std::vector<model::box>& scratch);

// Merges transfers of different commands. Only in a recorded plan, where the later command is known
// before the earlier transfer starts. Two transfers of one buffer between the same two memories
// become one, in the place of the first, if their union is a box, if all that the second one waits
// for comes before the first one, and if the link takes no longer for all bytes that the first one
// carries for others than its latency: of two transfers in a row the later consumer then gains at
// least what the earlier one loses. Renumbers the nodes; the validity maps keep the old numbers,
// which nobody reads once a recorded plan is past this pass.
//
// Moving the second one forward is safe: nothing between the two wrote its elements anywhere (the
// source would then have a later producer), so its source is good already, and nothing between the
// two reads its outdated elements at the destination (that reader would have had them moved).
void coalesce_transfers(window& window, planning_state& state);

}  // namespace pianola::planner
