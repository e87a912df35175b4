// SPDX-License-Identifier: Apache-2.0
// Other values for commands of an executable graph, of which the plan is known to hold for them.
#include <cstdint>
#include <variant>
#include <vector>

#include <pianola/planner/planning_state.hpp>

#include "machine/lane_table.hpp"
#include "process.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable.hpp"

namespace pianola::runtime {

bool executable_graph::exchange_values(process& rt, const std::vector<value_change>& values) {
  if (whole_ != nullptr || !rt.lanes.finished(rt.state.tail(lane_))) return false;
  if (times_ != nullptr) times_->changed = true;
  std::vector<std::uint32_t> changed;
  changed.reserve(values.size());
  for (const value_change& v : values) {
    const std::uint32_t at = place_.empty() ? v.command : place_[v.command];
    model::command& c = recorded_.commands[at];
    if (auto* const kernel = std::get_if<model::kernel_command>(&c.payload)) {
      const auto& other = std::get<model::kernel_command>(*v.payload);
      kernel->geometry = other.geometry;
      kernel->arguments = other.arguments;
      kernel->footprints = {};  // of the values before
    } else {
      c.payload = *v.payload;
    }
    changed.push_back(at);
  }
  std::vector<own_arguments> replaced;
  exchange_commands(rt, changed, replaced);
  return true;
}

}  // namespace pianola::runtime
