// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <unistd.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "calibration/kernel_times.hpp"
#include "executable_file.hpp"
#include "machine.hpp"
#include "opened_graph.hpp"
#include "parts.hpp"
#include "right_plan.hpp"
#include "subcommands.hpp"
#include "view/page.hpp"
#include "view/page_data.hpp"

namespace pianola::tool {

namespace {

[[noreturn]] void refuse_view(const std::string& reason) {
  throw model::user_error(model::error_code::invalid, reason);
}

std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Where plan and times are from, in a few words.
struct origin {
  std::string plan;
  std::string times;
};

int write_page(const view_request& request, const planner::graph_view& graph,
               const planner::plan& plan, const model::topology& machine,
               const recorder::measured_times& measured, const origin& from) {
  // What is simulated has to be right.
  if (!is_right(graph, plan, machine)) return exit_violation;
  const planner::simulation times = planner::simulate(graph, plan, machine);
  const std::string page = page_with(page_data(
      {name_of_file(request.graph), from.plan, from.times, graph, plan, machine, times, measured}));
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
    refuse_view("view: a page is nothing to read on a terminal; name a file with -o page.html");
  if (const auto executable = open_executable(request.graph)) {
    if (!request.plan.empty() || !request.topology.empty())
      refuse_view(formats::one_line(request.graph) +
                  ": an executable graph has a plan and a machine of its own; name no other ones");
    return write_page(request, planner::graph_view(executable->graph), executable->plan,
                      executable->topology, {}, {"in the executable", "simulated"});
  }
  opened_graph file = open_graph(request.graph);
  const recorder::loaded_graph& loaded = file.loaded;
  model::topology machine = machine_for(loaded, request.topology);
  // What the commands took when they were recorded is better known than what any model says.
  const bool measured = request.topology.empty() && add_recorded_times(loaded, machine) != 0;
  const char* const times =
      measured ? "simulated, with kernels as they were measured" : "simulated";
  if (request.plan.empty()) {
    const planner::graph_view graph(loaded.graph);
    if (request.topology.empty() && file.plan)
      return write_page(request, graph, *file.plan, machine, loaded.measured, {"as it ran", times});
    planner::plan plan = planner::make_plan(graph.commands(), graph.buffers(), machine);
    plan.graph_hash = graph.structural_hash();
    return write_page(request, graph, plan, machine, loaded.measured,
                      {"planned for this page", times});
  }
  const opened_plan opened = open_plan(request.plan, loaded.graph, machine);
  // What whole commands took is not what their parts take.
  return write_page(request, opened.view(loaded.graph), opened.plan, machine,
                    opened.parts ? recorder::measured_times{} : loaded.measured,
                    {formats::one_line(name_of_file(request.plan)), times});
}

}  // namespace pianola::tool
