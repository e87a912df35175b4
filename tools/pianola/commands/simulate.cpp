// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/simulate/report.hpp>
#include <pianola/planner/simulate/trace.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/machine.hpp"
#include "inputs/opened_graph.hpp"
#include "inputs/parts.hpp"
#include "inputs/planned_graph.hpp"
#include "inputs/right_plan.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

struct simulate_request {
  std::string graph;
  std::string plan;
  std::string topology;  // empty: the graph's
  std::string output;    // empty: standard output
  bool json = false;
  bool timeline = false;
  bool trace = false;
  std::size_t limit = 400;  // steps shown; 0: all
};

int simulate(simulate_request request) {
  find_graph_of_plan(request.graph, request.plan);
  opened_graph file = open_graph(request.graph);
  const recorder::loaded_graph& loaded = file.loaded;
  const model::topology machine =
      request.topology.empty() ? recorded_machine(loaded) : machine_for(loaded, request.topology);
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

}  // namespace

void add_simulate(CLI::App& app, int& code) {
  auto request = std::make_shared<simulate_request>();
  CLI::App* command = app.add_subcommand(
      "simulate", "Tell what a plan would take on a machine, which need not be here");
  command
      ->add_option(
          "graph", request->graph,
          "File of format pianola.graph/1, or the recording of a run: a folder or a journal")
      ->required()
      ->check(a_name());
  command
      ->add_option("plan", request->plan,
                   "File of format pianola.plan/1, made for this graph; a recording has the one "
                   "that ran")
      ->check(a_name());
  command->add_option("--topology", request->topology, of_machine)->check(a_name());
  auto* json = command->add_flag("--json", request->json, "For programs: pianola.simulation/1");
  auto* timeline = command->add_flag("--timeline", request->timeline, "Also when each step runs")
                       ->excludes(json);
  command
      ->add_flag("--trace", request->trace,
                 "When each step runs, and what waits for what, as a trace that Perfetto and "
                 "chrome://tracing show")
      ->excludes(json)
      ->excludes(timeline);
  add_output_file(*command, request->output);
  add_limit(*command, request->limit, "Steps to show at most; 0: all");
  command->footer(
      "Examples:\n  pianola simulate graph-0.graph.json graph-0.plan.json --timeline\n"
      "  pianola simulate graph-0.graph.json graph-0.plan.json --trace -o trace.json");
  command->callback([request, &code] { code = simulate(*request); });
}

}  // namespace pianola::tool
