// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "place/ranked.hpp"
#include "place/schedule.hpp"

namespace pianola::planner::place {

// Data-aware list scheduling: commands in the order of their ranks, each where it is best by the objective, by what the
// evaluator says of the machine as the commands before have left it: where data is, which devices and links are busy
// until when. `look_ahead`: the command's most urgent successor counts too, with what it has to wait for and to move
// wherever that is best for it then; this is what keeps a chain from wandering, and what earliest finish alone does
// not see. `entry`: where data is at the start; null: wherever it is first looked for.
[[nodiscard]] placing_of_all list_scheduling(const ranked_problem& p, objective wanted,
                                             bool look_ahead, const entry_masks* entry,
                                             schedule& scratch);

}  // namespace pianola::planner::place
