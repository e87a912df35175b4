// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "place/problem.hpp"
#include "place/ranks.hpp"

namespace pianola::planner::place {

// A problem with the order in which its commands are placed and evaluated.
struct ranked_problem {
  explicit ranked_problem(const problem& p) : ranked_problem(p, upward_ranks(p)) {}
  // By other ranks, which fall along every edge.
  ranked_problem(const problem& p, std::vector<double> by)
      : graph(p), ranks(std::move(by)), order(by_rank(ranks)) {}

  const problem& graph;
  std::vector<double> ranks;         // index: command
  std::vector<std::uint32_t> order;  // of commands
};

}  // namespace pianola::planner::place
