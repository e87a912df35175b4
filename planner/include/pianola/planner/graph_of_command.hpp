// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/ids.hpp>

#include "graph_view.hpp"
#include "plan.hpp"

namespace pianola::planner {

// A graph that a command of another one runs: a loop's body, a branch.
struct graph_of_command {
  std::uint32_t command;                  // of the other one
  std::vector<model::buffer_id> buffers;  // index: its buffer; what that is called there
  graph_view graph;
  const plan* how;
  std::vector<graph_of_command> inner;  // of its own commands
};

}  // namespace pianola::planner
