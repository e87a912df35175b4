// SPDX-License-Identifier: Apache-2.0
// What a command of a graph runs: other graphs, repeatedly or by choice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/control_kind.hpp>
#include <pianola/planner/plan.hpp>

#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

// As recorded. A subgraph_command refers to it, and the graph that holds the command keeps it.
struct control {
  struct body {
    graph_snapshot recorded;
    planner::plan plan;            // follows itself
    std::size_t own_commands = 0;  // of the graph that was given; others may follow
  };
  model::control_kind what = model::control_kind::repeat;
  std::uint64_t count = 0;
  std::uint32_t bytes = 0;  // of the condition, an integer
  bool is_signed = false;
  const void* pointer = nullptr;  // of the condition, if that is in no buffer
  std::uint64_t byte_offset = 0;  // of the condition in its buffer
  model::device_id device;        // of the graphs
  bool on_device = false;         // it runs in the device's own graph, where the condition is
  std::vector<body> bodies;
};

// Null: the command is none of these.
[[nodiscard]] inline const control* control_of(const model::command& c) noexcept {
  const auto* const s = std::get_if<model::subgraph_command>(&c.payload);
  return s != nullptr && s->control != model::control_kind::once
             ? static_cast<const control*>(s->graph)
             : nullptr;
}

}  // namespace pianola::runtime
