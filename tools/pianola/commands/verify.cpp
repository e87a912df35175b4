// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/stored_bodies.hpp>
#include <pianola/planner/verify_bodies.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/executable_file.hpp"
#include "inputs/machine.hpp"
#include "inputs/opened_graph.hpp"
#include "inputs/parts.hpp"
#include "inputs/right_plan.hpp"
#include "outputs/print.hpp"

namespace pianola::tool {

namespace {

int report(const std::optional<planner::violation>& violation, bool json) {
  if (!json) {
    if (violation)
      print_violation(*violation);
    else
      print("valid\n");
    return violation ? exit_violation : exit_good;
  }
  formats::json_writer out;
  out.open_object(formats::json_writer::layout::lines);
  out.key("format").text("pianola.verification/1").key("valid").truth(!violation);
  if (violation) {
    out.key("step");
    if (violation->step.valid())
      out.number(violation->step.value());
    else
      out.null();
    out.key("reason").text(violation->reason);
  }
  out.close();
  print(out.finish());
  return violation ? exit_violation : exit_good;
}

[[noreturn]] void refuse(const std::string& path, const char* reason) {
  throw model::user_error(model::error_code::invalid, formats::one_line(path) + ": " + reason);
}

// Of the graph, or of one that it runs.
std::optional<planner::violation> wrong_in(const executable_file& file) {
  auto wrong = violation_of(planner::graph_view(file.graph), file.plan, file.topology);
  for (auto body = file.bodies.begin(); !wrong && body != file.bodies.end(); ++body)
    if ((wrong = wrong_in(*body))) wrong->reason = "in a graph that it runs: " + wrong->reason;
  return wrong ? wrong : file.wrong_control;
}

int verify(std::string graph_path, std::string plan_path, const std::string& topology_path,
           bool json) {
  find_graph_of_plan(graph_path, plan_path);
  if (const auto executable = open_executable(graph_path)) {
    if (!plan_path.empty())
      refuse(graph_path, "an executable graph has a plan of its own; name no other one");
    if (!topology_path.empty())
      refuse(graph_path, "an executable graph has a machine of its own; name no other one");
    return report(wrong_in(*executable), json);
  }
  const opened_graph file = open_graph(graph_path);
  const recorder::loaded_graph& loaded = file.loaded;
  const planner::stored_bodies bodies(loaded.graph, loaded.topology, formats::one_line(graph_path));
  const auto wrong_bodies = [&] {
    return planner::verify_bodies(planner::graph_view(loaded.graph), loaded.topology, bodies.all());
  };
  if (plan_path.empty() && topology_path.empty() && file.plan) {
    auto violation = violation_of(planner::graph_view(loaded.graph), *file.plan, loaded.topology);
    if (!violation) violation = wrong_bodies();
    return report(violation, json);
  }
  if (plan_path.empty()) refuse(graph_path, "is a graph without a plan; name the plan, too");
  const model::topology machine = machine_for(loaded, topology_path);
  const opened_plan opened = open_plan(plan_path, loaded.graph, machine);
  std::optional<planner::violation> violation;
  if (opened.parts)
    violation =
        planner::verify_parts(loaded.graph.commands(), loaded.graph.buffers(), opened.parts->graph);
  if (!violation) violation = violation_of(opened.view(loaded.graph), opened.plan, machine);
  if (!violation) violation = wrong_bodies();
  return report(violation, json);
}

}  // namespace

void add_verify(CLI::App& app, int& code) {
  struct paths {
    std::string graph, plan, topology;
    bool json = false;
  };
  auto request = std::make_shared<paths>();
  CLI::App* command = app.add_subcommand("verify", "Check a plan against its graph");
  add_graph_file(*command, request->graph);
  command
      ->add_option("plan", request->plan,
                   "File of format pianola.plan/1; an executable graph has its own")
      ->check(a_name());
  command->add_option("--topology", request->topology, of_machine)->check(a_name());
  command->add_flag("--json", request->json, "For programs: pianola.verification/1");
  command->footer(
      "Exit codes: 0 the plan is right, 1 it is not, 2 bad input.\n\nExamples:\n"
      "  pianola verify graph-0.graph.json graph-0.plan.json\n"
      "  pianola verify app.pexe --json");
  command->callback([request, &code] {
    code = verify(request->graph, request->plan, request->topology, request->json);
  });
}

}  // namespace pianola::tool
