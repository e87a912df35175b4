// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "place/ranked.hpp"
#include "place/schedule.hpp"

namespace pianola::planner::place {

// The best placement of all by the evaluator, found by branch and bound: commands are decided in the order of their ranks,
// and what cannot get better than the best so far, by bounds.hpp or by what it has moved and allocated already, is left.
// `start` is a placement to begin with. Its effort is exponential in the number of commands with a choice: whoever calls
// it has looked at that.
[[nodiscard]] placing_of_all exact(const ranked_problem& p, objective wanted, placing_of_all start,
                                   schedule& scratch);

}  // namespace pianola::planner::place
