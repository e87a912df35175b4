// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <pianola/formats/file.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "subcommands.hpp"

namespace pianola::tool {

namespace {

std::string rendered(const show_request& request, const planner::graph_view& graph,
                     const model::topology& topology, const std::optional<planner::plan>& plan) {
  if (request.how == show_request::form::text) {
    std::string text = planner::to_text(graph, topology, request.limit);
    if (plan) text += planner::to_text(graph, *plan, topology, request.limit);
    return text;
  }
  planner::dot_options options;
  options.maximum_nodes = request.limit;
  std::string dot =
      plan ? planner::to_dot(graph, *plan, topology, options) : planner::to_dot(graph, options);
  return request.how == show_request::form::dot ? dot : planner::svg_from_dot(dot);
}

}  // namespace

int show(const show_request& request) {
  const recorder::loaded_graph loaded = recorder::load_graph(request.graph);
  const planner::graph_view graph(loaded.graph);
  std::optional<planner::plan> plan;
  if (!request.plan.empty()) plan = planner::load_plan(request.plan, graph, loaded.topology);
  const std::string text = rendered(request, graph, loaded.topology, plan);
  if (request.output.empty())
    print(text);
  else
    formats::write_file(request.output, text);
  return exit_good;
}

}  // namespace pianola::tool
