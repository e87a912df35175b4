// SPDX-License-Identifier: Apache-2.0
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "machine.hpp"
#include "right_plan.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

int plan(const plan_request& request) {
  const recorder::loaded_graph loaded = recorder::load_graph(request.graph);
  const planner::graph_view graph(loaded.graph);
  const model::topology machine = machine_for(loaded, request.topology);
  planner::plan made =
      planner::make_plan(graph.commands(), graph.buffers(), machine, request.options);
  made.graph_hash = graph.structural_hash();
  if (!is_right(graph, made, machine)) return exit_violation;
  const std::string text = planner::to_json(made, graph, &machine);
  put_out(request.output, text);
  return exit_good;
}

}  // namespace pianola::tool
