// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "place/problem.hpp"

namespace pianola::planner::place {

// Of each command the longest way from its start to the end of the graph, with mean times over its devices and mean
// times of transfers: HEFT's upward rank.
[[nodiscard]] std::vector<double> upward_ranks(const problem& p);

// The commands by falling rank, those of equal rank as recorded: an order that respects every edge.
[[nodiscard]] std::vector<std::uint32_t> by_rank(const std::vector<double>& ranks);

}  // namespace pianola::planner::place
