// SPDX-License-Identifier: Apache-2.0
#include <pianola/formats/text.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "subcommands.hpp"

namespace pianola::tool {

int verify(const std::string& graph_path, const std::string& plan_path) {
  const recorder::loaded_graph loaded = recorder::load_graph(graph_path);
  const planner::graph_view graph(loaded.graph);
  const planner::plan plan = planner::load_plan(plan_path, graph, loaded.topology);
  const auto violation = planner::verify(graph.commands(), graph.buffers(), loaded.topology, plan);
  if (!violation) {
    print("valid\n");
    return exit_good;
  }
  const std::string where = violation->step.valid()
                                ? "step " + std::to_string(violation->step.value())
                                : std::string("the plan as a whole");
  print("not valid: " + where + ": " + formats::one_line(violation->reason) + "\n");
  return exit_violation;
}

}  // namespace pianola::tool
