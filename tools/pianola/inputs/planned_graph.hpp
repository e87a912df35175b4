// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include <pianola/model/topology.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/recorder/measured_times.hpp>

#include "inputs/parts.hpp"

namespace pianola::tool {

// A graph and a plan of it, from files.
struct planned_graph {
  recorder::command_graph graph;
  model::topology machine;
  recorder::measured_times measured;
  planner::plan plan;
  bool planned_here = false;
  std::optional<graph_in_parts> parts;  // what the plan is of, if that is not the graph as it is
  bool executable = false;              // the file was an executable graph

  [[nodiscard]] planner::graph_view view() const {
    return parts ? view_of(*parts, graph) : planner::graph_view(graph);
  }
};

// `plan` empty: the graph is planned here, or it is an executable one, which has its own. `topology` empty: the graph's
// machine. Throws model::user_error (invalid) if a file is not sound or does not fit.
[[nodiscard]] planned_graph open_planned(const std::string& graph, const std::string& plan,
                                         const std::string& topology);

// Throws model::user_error (invalid) if the plan came from a file, `name`, and planner::verify finds it wrong.
void require_right(const planned_graph& p, const std::string& name);

}  // namespace pianola::tool
