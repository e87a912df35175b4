// SPDX-License-Identifier: Apache-2.0
// Files of formats pianola.graph/1, pianola.plan/1 and pianola.topology/1.
#include <cstdio>

#include <nlohmann/json.hpp>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "sample_graph.hpp"
#include "target.hpp"
#include "use_graph.hpp"

namespace pianola::testing {

namespace {

std::vector<std::string> graphs() {
  return {recorder::to_json(halo_graph(), two_devices()),
          recorder::to_json(graph_of_every_kind(), measured_devices()),
          recorder::to_json(graph_with_footprints(), two_devices())};
}

void use_graph_file(const std::string& text) {
  accepts([&] {
    const recorder::loaded_graph loaded = recorder::read_graph(text);
    const std::string written = recorder::to_json(loaded.graph, loaded.topology, loaded.measured);
    const recorder::loaded_graph again = recorder::read_graph(written);
    promise(recorder::to_json(again.graph, again.topology, again.measured) == written,
            "a graph changes when it is written and read again");
    use_graph(loaded.graph, loaded.topology);
  });
}

std::vector<std::string> plans() {
  const recorder::command_graph graph = halo_graph();
  const model::topology machine = two_devices();
  planner::plan made = planner::make_plan(graph.commands(), graph.buffers(), machine);
  made.graph_hash = graph.structural_hash();
  const planner::cut_graph cut{graph.structural_hash(), {1, 0.5}};
  const planner::graph_view view(graph);
  return {planner::to_json(halo_plan(), view), planner::to_json(made, view, &machine),
          planner::to_json(made, view, &machine, &cut)};
}

void use_plan_file(const std::string& text) {
  static const recorder::command_graph graph = halo_graph();
  static const model::topology machine = two_devices();
  accepts([&] { (void)planner::read_cut(text); });
  accepts([&] { (void)planner::read_plan(text); });
  accepts([&] {
    const planner::graph_view view(graph);
    use_plan(view, planner::read_plan(text, view, machine), machine);
  });
}

std::vector<std::string> machines() {
  return {recorder::to_json(two_devices()), recorder::to_json(measured_devices())};
}

void use_topology_file(const std::string& text) {
  static const recorder::command_graph graph = halo_graph();
  accepts([&] {
    const model::topology machine = recorder::read_topology(text);
    const std::string written = recorder::to_json(machine);
    promise(recorder::to_json(recorder::read_topology(written)) == written,
            "a machine changes when it is written and read again");
    const std::string moved = recorder::to_json(graph, machine);
    accepts([&] { use_graph(recorder::read_graph(moved).graph, machine); });
  });
}

}  // namespace

const fuzz_target graph_target{"graph", graphs, use_graph_file, fuzz_target::form::json};
const fuzz_target plan_target{"plan", plans, use_plan_file, fuzz_target::form::json};
const fuzz_target topology_target{"topology", machines, use_topology_file, fuzz_target::form::json};

}  // namespace pianola::testing
