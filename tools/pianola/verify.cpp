// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "executable_file.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

namespace {

int report(const std::optional<planner::violation>& violation) {
  if (!violation) {
    print("valid\n");
    return exit_good;
  }
  const std::string where = violation->step.valid()
                                ? "step " + std::to_string(violation->step.value())
                                : std::string("the plan as a whole");
  print("not valid: " + where + ": " + formats::one_line(violation->reason) + "\n");
  return exit_violation;
}

[[noreturn]] void refuse(const std::string& path, const char* reason) {
  throw model::user_error(model::error_code::invalid, formats::one_line(path) + ": " + reason);
}

}  // namespace

int verify(const std::string& graph_path, const std::string& plan_path) {
  if (const auto file = open_executable(graph_path)) {
    if (!plan_path.empty())
      refuse(graph_path, "an executable graph has a plan of its own; name no other one");
    return report(
        planner::verify(file->graph.commands(), file->graph.buffers(), file->topology, file->plan));
  }
  const recorder::loaded_graph loaded = recorder::load_graph(graph_path);
  if (plan_path.empty()) refuse(graph_path, "is a graph without a plan; name the plan, too");
  const planner::graph_view graph(loaded.graph);
  const planner::plan plan = planner::load_plan(plan_path, graph, loaded.topology);
  return report(planner::verify(graph.commands(), graph.buffers(), loaded.topology, plan));
}

}  // namespace pianola::tool
