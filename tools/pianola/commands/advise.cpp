// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <pianola/planner/explain/report.hpp>

#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/planned_graph.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

struct advise_request {
  std::string graph, plan, topology, output;
  bool json = false;
  std::size_t limit = 20;
  std::uint64_t effort = planner::explainer::usual_effort;
};

int advise(const advise_request& request) {
  const planned_graph p =
      open_planned(request.graph, request.plan, request.topology, kernel_costs::as_recorded);
  const planner::graph_view graph = p.view();
  begin_stage("trying changes");
  const planner::advice_list list =
      planner::advise(graph, p.plan, p.machine, request.effort, p.planned_here);
  put_out(request.output, request.json
                              ? planner::to_json(list, graph, p.plan, p.machine)
                              : planner::to_text(list, graph, p.plan, p.machine, request.limit));
  return exit_good;
}

}  // namespace

void add_advise(CLI::App& app, int& code) {
  auto request = std::make_shared<advise_request>();
  CLI::App* command = app.add_subcommand(
      "advise", "List what a program could do without: transfers and waits, by estimated time");
  add_graph(*command, request->graph, request->plan, request->topology);
  add_effort(*command, request->effort);
  add_output(*command, request->output, request->json, "pianola.advice/1");
  add_limit(*command, request->limit, "Entries to show at most; 0: all");
  command->footer(
      "Each change was tried by planning again; those that gain nothing are not "
      "told.\n\nExamples:\n"
      "  pianola advise graph-0.graph.json\n"
      "  pianola advise eager.graph.json eager.plan.json --json -o advice.json");
  command->callback([request, &code] { code = advise(*request); });
}

}  // namespace pianola::tool
