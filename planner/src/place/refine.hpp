// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "place/ranked.hpp"
#include "place/schedule.hpp"

namespace pianola::planner::place {

// Local search from `places`: moves a command, a command with the one that it feeds or is fed by, or exchanges the
// devices of two, and keeps what makes the graph better by the evaluator. Small graphs are evaluated as a whole for
// each move; of large ones a stretch of the order is tried again from where the machine stands before it, and a whole
// sweep kept if the evaluator says so in the end.
//
// `effort`: how many starts of commands the evaluator may be asked for; what is used is subtracted. Counted, and not
// timed, so that the same graph is placed alike wherever and whenever it is planned.
[[nodiscard]] placing_of_all refined(const ranked_problem& p, objective wanted,
                                     placing_of_all places, std::uint64_t& effort,
                                     schedule& scratch);

}  // namespace pianola::planner::place
