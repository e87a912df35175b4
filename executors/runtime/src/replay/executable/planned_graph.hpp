// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/planner/plan.hpp>

#include "replay/recorded/graph_snapshot.hpp"
#include "replay/values/bound_values.hpp"
#include "replay/values/rebindable.hpp"

namespace pianola::runtime {

struct command_places;
struct graph_times;

// Commands, their plan, and what they work on: what the parts of a graph_instance, which has it, go by. Changes under the
// runtime's lock.
struct planned_graph {
  graph_snapshot recorded;
  planner::plan plan;
  model::device_id device;
  std::vector<model::buffer_id> live;      // index: the plan's buffer id
  std::vector<std::uint32_t> generation;   // index: as live; of the buffers that steps are of
  std::vector<char> held;                  // index: as live; the graph keeps the buffer
  std::shared_ptr<const rebindable> uses;  // null: no launch exchanges anything
  bound_values bound;  // what native graphs work on, of what launches may exchange
  std::shared_ptr<const command_places> places;  // where times of nodes are asked for, else null
  std::shared_ptr<graph_times> times;            // of its commands; native graphs point to it
};

}  // namespace pianola::runtime
