// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <pianola/model/topology.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/measured_times.hpp>

#include "inputs/parts.hpp"

namespace pianola::tool {

// A plan where a graph is expected, and no other one named: its graph is NAME.graph.json beside NAME.plan.json, else the
// file in that folder that has the plan's hash. Names of files that are still a journal become the journal's. Throws
// model::user_error (invalid) if there is none: steps alone have no names of commands, no sizes and no order.
void find_graph_of_plan(std::string& graph, std::string& plan);

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

// What kernels take on the graph's own machine: as its file says, or as they took in the recording, where that has times.
enum class kernel_costs : std::uint8_t { of_machine, as_recorded };

// `plan` empty: the graph is planned here, or it is an executable one, which has its own. `topology` empty: the graph's
// machine. Throws model::user_error (invalid) if a file is not sound or does not fit.
[[nodiscard]] planned_graph open_planned(const std::string& graph, const std::string& plan,
                                         const std::string& topology,
                                         kernel_costs costs = kernel_costs::of_machine);

// The graph's own machine, with the times of kernels that the recording has.
[[nodiscard]] model::topology recorded_machine(const recorder::loaded_graph& loaded);

// Throws model::user_error (invalid) if the plan came from a file, `name`, and planner::verify finds it wrong.
void require_right(const planned_graph& p, const std::string& name);

}  // namespace pianola::tool
