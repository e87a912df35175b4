// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
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
// Data lies at the start where the plan that is explained found it: what is brought from there is what the changes are
// held against. Only a plan that starts where its own replay ends stands for a graph that is replayed, and so do the plans
// with changes, then: each starts where its replay ends.
class trials {
 public:
  // Whether a change that gains something is what was asked for. The edges are given only where the change may have others
  // than the graph.
  using judge = std::function<bool(const changed_graph&, const plan&, const edge_list&)>;

  // What is known of the graph as it is.
  struct known {
    const planner::plan& plan;         // that is explained
    bool is_usual = false;             // it is as planner::make_plan makes it
    const edge_list* edges = nullptr;  // null: they are found out here
  };

  // As many changes are tried as fit into the effort, which is a number of commands planned; at least one. 0: all.
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
  [[nodiscard]] planner::plan planned(model::array_view<const model::command> commands,
                                      model::array_view<const model::buffer_info> buffers) const;
  void find_entry();

  const graph_view& graph_;
  const model::topology& machine_;
  std::uint64_t effort_;
  known base_;
  const std::vector<validity_entry>* entry_ = nullptr;  // as options have it
  std::optional<planner::plan>
      usual_;  // of the graph as it is, where that is not the plan explained
  bool entry_found_ = false;
  bool done_ = false;
  graph_outcome now_;
};

// What gains more comes first: time, then bytes, then transfers, then edges.
[[nodiscard]] bool gains_more(const tried_change& a, const tried_change& b) noexcept;

}  // namespace pianola::planner
