// SPDX-License-Identifier: Apache-2.0
#include "inputs/planned_graph.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/file_bytes.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "inputs/executable_file.hpp"
#include "inputs/kernel_times.hpp"
#include "inputs/machine.hpp"
#include "inputs/opened_graph.hpp"
#include "inputs/planned_from.hpp"
#include "inputs/right_plan.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

// Hashes are among the first that files have. Of a plan whose kernels run in parts also that of the whole graph.
std::vector<std::string> hashes_in(const std::string& path, std::string_view member) {
  constexpr std::size_t enough = 512;
  const std::string head = formats::file_head(path, enough);
  std::vector<std::string> hashes;
  const std::string before = fmt::format("\"{}\": \"", member);
  for (std::size_t at = 0; (at = head.find(before, at)) != std::string::npos;) {
    at += before.size();
    const std::size_t end = head.find('"', at);
    if (end != std::string::npos) hashes.push_back(head.substr(at, end - at));
  }
  return hashes;
}

// A file in the folder of the plan that holds the graph of this hash; empty if there is none.
std::string graph_in_folder_of(const std::string& plan) {
  const std::vector<std::string> wanted = hashes_in(plan, "graph_hash");
  const std::filesystem::path folder = std::filesystem::path(plan).parent_path();
  std::string found;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") || (!found.empty() && found <= name)) continue;
    for (const std::string& hash : hashes_in(entry.path().string(), "structural_hash"))
      if (std::find(wanted.begin(), wanted.end(), hash) != wanted.end()) found = name;
  }
  return found.empty() ? found : (folder / found).string();
}

}  // namespace

void find_graph_of_plan(std::string& graph, std::string& plan) {
  constexpr std::string_view plan_ending = ".plan.json";
  graph = recorder::file_or_journal(graph);
  std::error_code error;
  if (!plan.empty() || !is_plan(graph)) return;
  std::string beside;
  if (graph.ends_with(plan_ending))
    beside = graph.substr(0, graph.size() - plan_ending.size()) + ".graph.json";
  if (beside.empty() || !std::filesystem::exists(beside, error)) beside = graph_in_folder_of(graph);
  if (beside.empty())
    throw model::user_error(
        model::error_code::invalid,
        formats::one_line(graph) +
            ": is a plan, which tells steps by numbers of commands and buffers: what they are "
            "called, how large they are and what they need is in its graph, which is not in the "
            "same folder; name that before it");
  plan = std::exchange(graph, beside);
}

planned_graph open_planned(const std::string& named_graph, const std::string& named_plan,
                           const std::string& topology, kernel_costs costs) {
  std::string graph = named_graph, plan = named_plan;
  find_graph_of_plan(graph, plan);
  // Both are in the same journal.
  const std::string journal = recorder::file_or_journal(plan);
  if (journal != plan && journal == graph && topology.empty()) plan.clear();
  if (auto file = open_executable(graph)) {
    if (!plan.empty() || !topology.empty())
      throw model::user_error(model::error_code::invalid,
                              formats::one_line(graph) +
                                  ": an executable graph has a plan and a machine of its own; "
                                  "name no other ones");
    return {std::move(file->graph),
            std::move(file->topology),
            {},
            std::move(file->plan),
            false,
            {},
            true};
  }
  opened_graph opened = open_graph(graph);
  recorder::loaded_graph& loaded = opened.loaded;
  model::topology machine = costs == kernel_costs::as_recorded && topology.empty()
                                ? recorded_machine(loaded)
                                : machine_for(loaded, topology);
  planner::plan made;
  if (plan.empty() && topology.empty() && opened.plan)
    return {std::move(loaded.graph),
            std::move(machine),
            std::move(loaded.measured),
            *std::move(opened.plan),
            false,
            {}};
  std::optional<graph_in_parts> parts;
  if (plan.empty()) {
    begin_stage("planning");
    made = planned_from(graph, topology, [&] {
      return planner::make_plan(loaded.graph.commands(), loaded.graph.buffers(), machine);
    });
  } else {
    opened_plan file = open_plan(plan, loaded.graph, machine);
    made = std::move(file.plan);
    parts = std::move(file.parts);
  }
  return {std::move(loaded.graph), std::move(machine), std::move(loaded.measured),
          std::move(made),         plan.empty(),       std::move(parts)};
}

model::topology recorded_machine(const recorder::loaded_graph& loaded) {
  model::topology machine = loaded.topology;
  if (!loaded.measured.empty()) add_recorded_times(loaded.graph, loaded.measured, machine);
  return machine;
}

void require_right(const planned_graph& p, const std::string& name) {
  if (p.planned_here) return;
  if (const auto violation = violation_of(p.view(), p.plan, p.machine))
    throw model::user_error(
        model::error_code::invalid,
        formats::one_line(name) + ": the plan is not right: " + text_of(*violation));
}

}  // namespace pianola::tool
