// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <optional>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/placement.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "machine.hpp"
#include "opened_graph.hpp"
#include "parts.hpp"
#include "right_plan.hpp"
#include "stages.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

namespace {

planner::chosen_placement placed(const planner::graph_view& graph, const model::topology& machine,
                                 const planner::options& options) {
  return planner::choose_placement(graph.commands(), graph.buffers(), machine, options);
}

// As `finalize` of a graph that is placed anywhere: the graph in parts if that is asked for, or comes to less. Chooses where
// its commands run, too.
std::optional<graph_in_parts> parts_for(const plan_request& request,
                                        const recorder::command_graph& whole,
                                        const model::topology& machine,
                                        const planner::options& options,
                                        planner::chosen_placement& chosen) {
  std::optional<graph_in_parts> parts = in_parts(whole, machine);
  if (!parts) {
    std::fprintf(stderr,
                 "pianola: no kernel can be cut: of none that may run on several devices of the "
                 "same code is known what its work-items touch; the graph is planned whole\n");
  } else {
    chosen = placed(view_of(*parts, whole), machine, options);
    if (request.split == splitting::always) return parts;
  }
  planner::chosen_placement uncut = placed(whole, machine, options);
  if (parts && planner::better(options.objective, chosen.figures, uncut.figures)) return parts;
  chosen = std::move(uncut);
  return std::nullopt;
}

}  // namespace

int plan(const plan_request& request) {
  const recorder::loaded_graph loaded = open_graph(request.graph).loaded;
  const model::topology machine = machine_for(loaded, request.topology);
  begin_stage("planning");
  planner::options options = request.options;
  std::optional<graph_in_parts> parts;
  planner::chosen_placement chosen;
  if (request.split != splitting::never) {
    // Who asks for parts asks for other devices than those of the queues.
    if (options.place == planner::placing::as_submitted) options.place = planner::placing::anywhere;
    parts = parts_for(request, loaded.graph, machine, options, chosen);
    options.chosen = &chosen;
  }
  const planner::graph_view graph =
      parts ? view_of(*parts, loaded.graph) : planner::graph_view(loaded.graph);
  planner::plan made = planner::make_plan(graph.commands(), graph.buffers(), machine, options);
  made.graph_hash = graph.structural_hash();
  if (!is_right(graph, made, machine)) return exit_violation;
  std::optional<planner::cut_graph> cut;
  if (parts) cut = planner::cut_graph{loaded.graph.structural_hash(), parts->speeds};
  const std::string text = planner::to_json(made, graph, &machine, cut ? &*cut : nullptr);
  put_out(request.output, text);
  return exit_good;
}

}  // namespace pianola::tool
