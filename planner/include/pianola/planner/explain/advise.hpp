// SPDX-License-Identifier: Apache-2.0
// What a program could do without: transfers and waits that a change of it removes, each change tried.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "change.hpp"
#include "explain.hpp"

namespace pianola::planner {

struct advice {
  tried_change tried;
  // What made somebody think of it; transfers by number of their step, edges by their commands.
  std::vector<model::step_id> transfers;
  std::vector<std::pair<model::command_id, model::command_id>> edges;  // that it may remove
};

struct advice_list {
  std::vector<advice> entries;  // with gain; by estimated time saved, then bytes
  graph_outcome now;
  std::size_t transfers = 0;   // of the plan
  std::size_t page_edges = 0;  // edges between commands that share pages, and no data
  std::size_t needless_edges =
      0;  // that are asked for, between commands that name no data in common
  std::size_t tried = 0, not_tried = 0;
};

// `effort`, `is_usual`: as explainer has them. What looks largest is tried first.
[[nodiscard]] advice_list advise(const graph_view& graph, const plan& plan,
                                 const model::topology& machine,
                                 std::uint64_t effort = explainer::usual_effort,
                                 bool is_usual = false);

}  // namespace pianola::planner
