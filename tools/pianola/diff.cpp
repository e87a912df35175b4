// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <pianola/planner/compare/difference.hpp>

#include "limit_of_figure.hpp"
#include "options.hpp"
#include "planned_graph.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

namespace {

struct diff_request {
  std::string a, b, plan_a, plan_b, topology, output;
  std::vector<std::string> limits;
  bool json = false;
  std::size_t limit = 100;
};

double measured_in(const planned_graph& g) {
  double seconds = 0;
  for (std::uint32_t i = 0; i < g.graph.size(); ++i) seconds += g.measured.of(model::command_id(i));
  return seconds;
}

planned_graph opened(const std::string& graph, const std::string& plan,
                     const std::string& topology) {
  planned_graph p = open_planned(graph, plan, topology);
  require_right(p, plan.empty() ? graph : plan);
  return p;
}

int diff(const diff_request& request) {
  std::vector<limit_of_figure> limits;
  for (const std::string& l : request.limits) limits.push_back(limit_of_figure::read(l));
  // Side by side: reading is most of the time.
  std::future<planned_graph> other = std::async(std::launch::async, [&request] {
    return opened(request.b, request.plan_b, request.topology);
  });
  const planned_graph a = opened(request.a, request.plan_a, request.topology);
  const planned_graph b = other.get();
  const planner::graph_view in_a(a.graph), in_b(b.graph);
  const planner::compared_graph first{in_a, a.plan, a.machine, measured_in(a)},
      second{in_b, b.plan, b.machine, measured_in(b)};
  const planner::graph_difference d = planner::difference_of(first, second);
  put_out(request.output, request.json ? planner::to_json(d, first, second)
                                       : planner::to_text(d, first, second, request.limit));
  bool failed = false;
  for (const limit_of_figure& l : limits)
    if (const std::string what = l.violation(d.a, d.b); !what.empty()) {
      std::fprintf(stderr, "pianola: %s\n", what.c_str());
      failed = true;
    }
  return failed ? exit_violation : exit_good;
}

}  // namespace

void add_diff(CLI::App& app, int& code) {
  auto request = std::make_shared<diff_request>();
  CLI::App* command = app.add_subcommand(
      "diff", "Compare two graphs: commands, edges, transfers, bytes and times gained and lost");
  command->add_option("a", request->a, "File of format pianola.graph/1 or pianola.executable/1")
      ->required();
  command->add_option("b", request->b, "The same, of the changed program")->required();
  command->add_option("--plan-a", request->plan_a,
                      "File of format pianola.plan/1 for a; without it a is planned here");
  command->add_option("--plan-b", request->plan_b, "The same for b");
  command->add_option("--topology", request->topology, of_machine);
  command
      ->add_option("--fail-on", request->limits,
                   "Exit with 1 if a figure of b is too large: commands, edges, transfers, bytes, "
                   "seconds or\nmeasured, '>', and a number or, compared with a, +N or +N%")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  add_output(*command, request->output, request->json, "pianola.difference/1");
  add_limit(*command, request->limit, "Entries of each kind to show at most; 0: all");
  command->footer(
      "Commands are matched by what they do and by their order, whatever their numbers and names.\n"
      "Exit codes: 0, 1 if a condition of --fail-on holds, 2 for bad input.\n\nExamples:\n"
      "  pianola diff before/graph-0.graph.json after/graph-0.graph.json\n"
      "  pianola diff old.json new.json --fail-on 'bytes>+5%' --fail-on 'transfers>+0'");
  command->callback([request, &code] { code = diff(*request); });
}

}  // namespace pianola::tool
