// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/simulate/report.hpp>
#include <pianola/planner/simulate/trace.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "machine.hpp"
#include "opened_graph.hpp"
#include "parts.hpp"
#include "right_plan.hpp"
#include "stages.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

int simulate(const simulate_request& request) {
  opened_graph file = open_graph(request.graph);
  const recorder::loaded_graph& loaded = file.loaded;
  const model::topology machine = machine_for(loaded, request.topology);
  if (request.plan.empty() && !file.plan.has_value())
    throw model::user_error(model::error_code::invalid,
                            formats::one_line(request.graph) +
                                ": simulate takes a plan, too; only recordings of runs have theirs "
                                "(make one with pianola plan)");
  const opened_plan opened = request.plan.empty() ? opened_plan{std::nullopt, *std::move(file.plan)}
                                                  : open_plan(request.plan, loaded.graph, machine);
  const planner::graph_view graph = opened.view(loaded.graph);
  const planner::plan& plan = opened.plan;
  if (!is_right(graph, plan, machine)) return exit_violation;
  begin_stage("simulating");
  const planner::simulation s = planner::simulate(graph, plan, machine);
  const std::string text =
      request.trace  ? planner::to_trace(s, graph, plan, machine)
      : request.json ? planner::to_json(s, plan, machine)
                     : planner::to_text(s, graph, plan, machine, request.timeline, request.limit);
  put_out(request.output, text);
  return exit_good;
}

}  // namespace pianola::tool
