// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "place/ranked.hpp"
#include "place/schedule.hpp"

namespace pianola::planner::place {

struct exact_placement {
  placing_of_all places;
  bool complete = true;  // else there may be a better one
};

// The best placement of all by the evaluator, found by branch and bound: commands are decided in the order of their ranks,
// and what cannot get better than the best so far, by bounds.hpp or by what it has moved and allocated already, is left.
// `start` is a placement to begin with. Its effort is exponential in the number of commands with a choice, times all
// commands: once it has looked at commands `effort` times, the search ends, and what it gives is the best so far.
[[nodiscard]] exact_placement exact(const ranked_problem& p, objective wanted, placing_of_all start,
                                    std::uint64_t effort, schedule& scratch);

}  // namespace pianola::planner::place
