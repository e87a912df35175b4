// SPDX-License-Identifier: Apache-2.0
#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "executable_file.hpp"
#include "machine.hpp"
#include "opened_graph.hpp"
#include "parts.hpp"
#include "right_plan.hpp"
#include "stages.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

namespace {

void print_violation(const planner::violation& v) {
  const std::string where = v.step.valid() ? "step " + std::to_string(v.step.value())
                                           : std::string("the plan as a whole");
  print("not valid: " + where + ": " + formats::one_line(v.reason) + "\n");
}

std::optional<planner::violation> verify(const planner::graph_view& graph,
                                         const planner::plan& plan,
                                         const model::topology& machine) {
  begin_stage("verifying the plan");
  return planner::verify(graph.commands(), graph.buffers(), machine, plan);
}

}  // namespace

bool is_right(const planner::graph_view& graph, const planner::plan& plan,
              const model::topology& machine) {
  const auto violation = verify(graph, plan, machine);
  if (violation) print_violation(*violation);
  return !violation;
}

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

}  // namespace

int verify(const std::string& graph_path, const std::string& plan_path,
           const std::string& topology_path, bool json) {
  if (const auto executable = open_executable(graph_path)) {
    if (!plan_path.empty())
      refuse(graph_path, "an executable graph has a plan of its own; name no other one");
    if (!topology_path.empty())
      refuse(graph_path, "an executable graph has a machine of its own; name no other one");
    return report(
        verify(planner::graph_view(executable->graph), executable->plan, executable->topology),
        json);
  }
  const opened_graph file = open_graph(graph_path);
  const recorder::loaded_graph& loaded = file.loaded;
  if (plan_path.empty() && topology_path.empty() && file.plan)
    return report(verify(planner::graph_view(loaded.graph), *file.plan, loaded.topology), json);
  if (plan_path.empty()) refuse(graph_path, "is a graph without a plan; name the plan, too");
  const model::topology machine = machine_for(loaded, topology_path);
  const opened_plan opened = open_plan(plan_path, loaded.graph, machine);
  std::optional<planner::violation> violation;
  if (opened.parts)
    violation =
        planner::verify_parts(loaded.graph.commands(), loaded.graph.buffers(), opened.parts->graph);
  if (!violation) violation = verify(opened.view(loaded.graph), opened.plan, machine);
  return report(violation, json);
}

}  // namespace pianola::tool
