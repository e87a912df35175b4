// SPDX-License-Identifier: Apache-2.0
#include <pianola/formats/text.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "machine.hpp"
#include "right_plan.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

bool is_right(const planner::graph_view& graph, const planner::plan& plan,
              const model::topology& machine) {
  const auto violation = planner::verify(graph.commands(), graph.buffers(), machine, plan);
  if (!violation) return true;
  const std::string where = violation->step.valid()
                                ? "step " + std::to_string(violation->step.value())
                                : std::string("the plan as a whole");
  print("not valid: " + where + ": " + formats::one_line(violation->reason) + "\n");
  return false;
}

int verify(const std::string& graph_path, const std::string& plan_path,
           const std::string& topology_path) {
  const recorder::loaded_graph loaded = recorder::load_graph(graph_path);
  const planner::graph_view graph(loaded.graph);
  const model::topology machine = machine_for(loaded, topology_path);
  const planner::plan plan = planner::load_plan(plan_path, graph, machine);
  if (!is_right(graph, plan, machine)) return exit_violation;
  print("valid\n");
  return exit_good;
}

}  // namespace pianola::tool
