// SPDX-License-Identifier: Apache-2.0
// Graphs of files with kernels in parts, as programs cut them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <pianola/model/topology.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/planner/split.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::tool {

struct graph_in_parts {
  planner::split_graph graph;
  std::uint64_t hash = 0;
  std::vector<double> speeds;  // by which it was cut
};

// What a program makes of this graph on such a machine where it cuts all kernels that can be cut: a kernel on those of
// its candidates that run the code of the device that it was submitted to. Nothing if no kernel can be.
// `speeds`: as planner::speeds_for_parts gives them; empty: those of this machine.
[[nodiscard]] std::optional<graph_in_parts> in_parts(const recorder::command_graph& whole,
                                                     const model::topology& machine,
                                                     std::vector<double> speeds = {});

// A plan, and what it is of: the graph of a file, or the same graph in parts.
struct opened_plan {
  std::optional<graph_in_parts> parts;
  planner::plan plan;

  [[nodiscard]] planner::graph_view view(const recorder::command_graph& whole) const;
};
[[nodiscard]] planner::graph_view view_of(const graph_in_parts& parts,
                                          const recorder::command_graph& whole);

// Throws model::user_error (invalid) as planner::load_plan does, for a plan of neither.
[[nodiscard]] opened_plan open_plan(const std::string& path, const recorder::command_graph& whole,
                                    const model::topology& machine);

}  // namespace pianola::tool
