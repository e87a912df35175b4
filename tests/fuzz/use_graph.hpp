// SPDX-License-Identifier: Apache-2.0
// What the tool does with a graph, and with a graph and a plan of it, once both were read.
#pragma once
#include <pianola/model/topology.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::testing {

void use_graph(const recorder::command_graph& graph, const model::topology& machine);
void use_plan(const planner::graph_view& graph, const planner::plan& plan,
              const model::topology& machine);

}  // namespace pianola::testing
