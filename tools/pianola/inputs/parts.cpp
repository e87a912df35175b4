// SPDX-License-Identifier: Apache-2.0
#include "inputs/parts.hpp"

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include <pianola/formats/file.hpp>
#include <pianola/journal/file.hpp>
#include <pianola/model/backend_kind.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "inputs/opened_graph.hpp"

namespace pianola::tool {

namespace {

// Other code may round differently.
std::vector<model::device_id> devices_of_parts(const model::command& c,
                                               const model::topology& machine) {
  std::vector<model::device_id> found;
  if (!c.device.valid() || !std::holds_alternative<model::kernel_command>(c.payload)) return found;
  const model::device_description& own = machine.devices[c.device.value()];
  for (const model::device_id d : c.candidates) {
    const model::device_description& other = machine.devices[d.value()];
    if (model::runs_host_code(own.backend) ? model::runs_host_code(other.backend)
                                           : other.backend == own.backend)
      found.push_back(d);
  }
  return found;
}

bool is_part(const model::command& c) {
  const auto* const kernel = std::get_if<model::kernel_command>(&c.payload);
  return kernel != nullptr && kernel->geometry.part != nullptr;
}

}  // namespace

std::optional<graph_in_parts> in_parts(const recorder::command_graph& whole,
                                       const model::topology& machine, std::vector<double> speeds) {
  const model::array_view<const model::command> recorded = whole.commands();
  std::vector<model::command> commands(recorded.begin(), recorded.end());
  std::vector<std::vector<model::device_id>> devices;
  devices.reserve(commands.size());
  for (model::command& c : commands)
    c.candidates = devices.emplace_back(devices_of_parts(c, machine));
  if (speeds.empty()) speeds = planner::speeds_for_parts(commands, whole.buffers(), machine);
  std::optional<planner::split_graph> cut =
      planner::split_kernels(commands, whole.buffers(), speeds);
  if (!cut) return std::nullopt;
  for (std::size_t i = 0; i < cut->commands.size(); ++i) {
    const model::command& of = recorded[cut->part_of[i]];
    if (!is_part(cut->commands[i]) || is_part(of)) cut->commands[i].candidates = of.candidates;
  }
  graph_in_parts made{*std::move(cut), 0, std::move(speeds)};
  made.hash = recorder::structural_hash(made.graph.commands, made.graph.buffers);
  return made;
}

planner::graph_view view_of(const graph_in_parts& parts, const recorder::command_graph& whole) {
  return {parts.graph.commands, parts.graph.buffers, parts.hash, &whole,
          [](const void* owner, model::buffer_id id) {
            return static_cast<const recorder::command_graph*>(owner)->buffer_label(id);
          }};
}

planner::graph_view opened_plan::view(const recorder::command_graph& whole) const {
  return parts ? view_of(*parts, whole) : planner::graph_view(whole);
}

opened_plan open_plan(const std::string& name, const recorder::command_graph& whole,
                      const model::topology& machine) {
  const planner::graph_view graph(whole);
  const std::string path = recorder::file_or_journal(name);
  std::string text;
  if (journal::is_journal(path)) {
    // Reading it again holds it against the graph and the machine.
    const opened_graph run = open_journal(path);
    text = planner::to_json(*run.plan, planner::graph_view(run.loaded.graph), &run.loaded.topology);
  } else {
    text = formats::read_file(path);
  }
  // Most have none, and reading twice takes twice as long.
  planner::cut_graph cut;
  if (text.find("\"cut\"") != std::string::npos) cut = planner::read_cut(text, path);
  if (cut.whole_hash == graph.structural_hash() && cut.speeds.size() == machine.devices.size())
    if (auto parts = in_parts(whole, machine, std::move(cut.speeds))) {
      planner::plan plan = planner::read_plan(text, view_of(*parts, whole), machine, path);
      return {std::move(parts), std::move(plan)};
    }
  return {std::nullopt, planner::read_plan(text, graph, machine, path)};
}

}  // namespace pianola::tool
