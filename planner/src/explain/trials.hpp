// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <pianola/model/topology.hpp>

#include "pianola/planner/explain/change.hpp"
#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

using edge_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // sorted

// Plans a graph with changes. Plans are made side by side, as many as the machine has processors; what comes of it does
// not depend on that.
class trials {
 public:
  // Whether a change that gains something is what was asked for. The edges are given only where the change may have others
  // than the graph.
  using judge = std::function<bool(const changed_graph&, const plan&, const edge_list&)>;

  // What is known of the graph as it is, and need not be found out again; null: nothing.
  struct known {
    const plan* usual = nullptr;  // as planner::make_plan makes it
    const edge_list* edges = nullptr;
  };

  // As many changes are tried as fit into the effort, which is a number of commands planned; at least one.
  trials(const graph_view& graph, const model::topology& machine, std::uint64_t effort,
         const known& base)
      : graph_(graph), machine_(machine), effort_(effort), base_(base) {}

  struct outcome {
    std::vector<tried_change> gaining;  // of `changes` in their order, with their place in it
    std::vector<std::size_t> place;
    std::size_t tried = 0, not_tried = 0;
  };
  // `changes`: what is to be tried first comes first; each once.
  [[nodiscard]] outcome run(const std::vector<graph_change>& changes, const judge& wanted = {});

  // Of the graph as it is.
  [[nodiscard]] const graph_outcome& now();

 private:
  const graph_view& graph_;
  const model::topology& machine_;
  std::uint64_t effort_;
  known base_;
  bool done_ = false;
  graph_outcome now_;
};

// What gains more comes first: time, then bytes, then transfers, then edges.
[[nodiscard]] bool gains_more(const tried_change& a, const tried_change& b) noexcept;

}  // namespace pianola::planner
