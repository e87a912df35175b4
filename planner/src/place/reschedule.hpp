// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "place/ranked.hpp"
#include "place/schedule.hpp"

namespace pianola::planner::place {

// A placement with the order in which its commands are started, which is a part of what it comes to.
struct ordered_placement {
  placing_of_all places;
  std::vector<std::uint32_t> order;
  placement_figures figures;
};

// Search for a better one among those that list scheduling makes in other orders: by ranks that follow from where the
// best so far has put the commands, and by ranks of times that are wrong by a random factor each. What a list decides
// depends on what is placed before, so another order moves whole chains and everything that follows from it, where a
// move of a single command is hardly ever better by itself.
//
// `effort`: how many starts of commands the evaluator may be asked for; what is used is subtracted. The same for the
// same input.
[[nodiscard]] ordered_placement rescheduled(const problem& p, objective wanted,
                                            ordered_placement best, std::uint64_t& effort,
                                            schedule& scratch);

}  // namespace pianola::planner::place
