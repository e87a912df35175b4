// SPDX-License-Identifier: Apache-2.0
// How a recorded graph comes to its plan: from a file, or made, with kernels whole or in parts.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/planner/options.hpp>
#include <pianola/planner/plan.hpp>

#include <pianola/runtime/replay_options.hpp>

#include "replay/plans/stored_plans.hpp"
#include "replay/recorded/graph_snapshot.hpp"
#include "replay/recorded/split_snapshot.hpp"

namespace pianola::runtime {

class process;

// How a graph is to be planned, also after updates.
struct planning_request {
  graph_placing placing{};
  // Where to look for a plan before planning; null: where PIANOLA_PLAN says.
  std::shared_ptr<stored_plans> plans = nullptr;
  replay_options options{};
};

// Where the commands of a graph may run, and where they were asked to; empty where nothing is to be placed.
struct placing_choices {
  std::vector<std::vector<model::device_id>>
      candidates;                       // index: command; the commands refer to them
  std::vector<model::device_id> asked;  // index: command
};
// Those of each command, which get them.
[[nodiscard]] placing_choices find_choices(const process& rt, graph_snapshot& recorded,
                                           const graph_placing& placing);

struct found_plan {
  planner::plan plan;
  bool stored = false;  // in a file
  // What the plan is of, where kernels run in parts; nothing: what was recorded.
  std::optional<split_snapshot> parts;
};

// Of a graph that is placed anywhere, commands have their choices. A stored plan goes first, that of the graph in parts
// before one that says how to cut the graph, and that before one of the whole graph. `name_of` names buffers in messages. `is_update`: that no stored plan fits is told more
// quietly, as a graph that is updated again and again is not to fill the log.
[[nodiscard]] found_plan find_plan(process& rt, const graph_snapshot& recorded,
                                   const planning_request& wanted, bool is_update,
                                   std::function<std::string(model::buffer_id)> name_of);

}  // namespace pianola::runtime
