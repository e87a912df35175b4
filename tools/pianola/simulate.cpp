// SPDX-License-Identifier: Apache-2.0
#include <pianola/planner/simulate/report.hpp>
#include <pianola/planner/simulate/trace.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "machine.hpp"
#include "opened_graph.hpp"
#include "parts.hpp"
#include "right_plan.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

int simulate(const simulate_request& request) {
  const recorder::loaded_graph loaded = open_graph(request.graph).loaded;
  const model::topology machine = machine_for(loaded, request.topology);
  const opened_plan opened = open_plan(request.plan, loaded.graph, machine);
  const planner::graph_view graph = opened.view(loaded.graph);
  const planner::plan& plan = opened.plan;
  if (!is_right(graph, plan, machine)) return exit_violation;
  const planner::simulation s = planner::simulate(graph, plan, machine);
  const std::string text =
      request.trace  ? planner::to_trace(s, graph, plan, machine)
      : request.json ? planner::to_json(s, plan, machine)
                     : planner::to_text(s, graph, plan, machine, request.timeline, request.limit);
  put_out(request.output, text);
  return exit_good;
}

}  // namespace pianola::tool
