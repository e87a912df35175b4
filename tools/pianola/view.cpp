// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "calibration/kernel_times.hpp"
#include "executable_file.hpp"
#include "machine.hpp"
#include "right_plan.hpp"
#include "subcommands.hpp"
#include "view/page.hpp"
#include "view/page_data.hpp"

namespace pianola::tool {

namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw model::user_error(model::error_code::invalid, reason);
}

std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int write_page(const view_request& request, page_content content) {
  if (!is_right(content.graph, content.plan, content.machine)) return exit_violation;
  content.title = name_of_file(request.graph);
  const std::string page = page_with(page_data(content));
  if (request.output.empty())
    print(page);
  else
    formats::write_file(request.output, page);
  return exit_good;
}

}  // namespace

int view(const view_request& request) {
  if (page_pieces().empty()) static_cast<void>(page_with({}));  // says why, before the work
  if (request.output.empty() && ::isatty(STDOUT_FILENO) != 0)
    refuse("view: a page is nothing to read on a terminal; name a file with -o page.html");
  const recorder::measured_times unmeasured;
  if (const auto file = open_executable(request.graph)) {
    if (!request.plan.empty() || !request.topology.empty())
      refuse(formats::one_line(request.graph) +
             ": an executable graph has a plan and a machine of its own; name no other ones");
    const planner::graph_view graph(file->graph);
    const planner::simulation times = planner::simulate(graph, file->plan, file->topology);
    return write_page(request, {"", "in the executable", "simulated", graph, file->plan,
                                file->topology, times, unmeasured});
  }
  const recorder::loaded_graph loaded = recorder::load_graph(request.graph);
  const planner::graph_view graph(loaded.graph);
  model::topology machine = machine_for(loaded, request.topology);
  // What the commands took when they were recorded is better known than what any model says.
  const bool measured = request.topology.empty() && add_recorded_times(loaded, machine) != 0;
  std::string planned = "planned for this page";
  planner::plan plan;
  if (request.plan.empty()) {
    plan = planner::make_plan(graph.commands(), graph.buffers(), machine);
    plan.graph_hash = graph.structural_hash();
  } else {
    plan = planner::load_plan(request.plan, graph, machine);
    planned = formats::one_line(name_of_file(request.plan));
  }
  const planner::simulation times = planner::simulate(graph, plan, machine);
  return write_page(
      request, {"", std::move(planned),
                measured ? "simulated, with kernels as they were measured" : "simulated", graph,
                plan, machine, times, loaded.measured});
}

}  // namespace pianola::tool
