// SPDX-License-Identifier: Apache-2.0
#include "view/graph_page.hpp"

#include <pianola/formats/text.hpp>
#include <pianola/planner/simulate/simulate.hpp>

#include "inputs/kernel_times.hpp"
#include "view/page.hpp"
#include "view/page_data.hpp"

namespace pianola::tool {

namespace {

std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// In a few words.
std::string origin_of_plan(const planned_graph& p, const page_files& files) {
  if (p.executable) return "in the executable";
  if (p.planned_here) return "planned for this page";
  return files.plan.empty() ? "as it ran" : formats::one_line(name_of_file(files.plan));
}

}  // namespace

std::string graph_content(const planned_graph& p, const page_files& files,
                          const std::string& served) {
  model::topology machine = p.machine;
  // What the commands took when they were recorded is better known than what any model says.
  const bool measured = files.topology.empty() && !p.measured.empty() &&
                        add_recorded_times(p.graph, p.measured, machine) != 0;
  const planner::graph_view graph = p.view();
  const planner::simulation times = planner::simulate(graph, p.plan, machine);
  // What whole commands took is not what their parts take.
  const recorder::measured_times of_commands = p.parts ? recorder::measured_times{} : p.measured;
  return page_data({name_of_file(files.graph), origin_of_plan(p, files),
                    measured ? "simulated, with kernels as they were measured" : "simulated",
                    served, graph, p.plan, machine, times, of_commands});
}

std::string graph_page(const planned_graph& p, const page_files& files, const std::string& served) {
  return page_with(graph_content(p, files, served),
                   served.empty() ? page_use::alone : page_use::served);
}

}  // namespace pianola::tool
