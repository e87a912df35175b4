// SPDX-License-Identifier: Apache-2.0
// Other values for commands of an executable graph, of which the plan is known to hold for them.
#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include <pianola/planner/planning_state.hpp>

#include "data/buffer_table.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/executable.hpp"
#include "replay/executable/replay_table.hpp"

namespace pianola::runtime {

std::size_t executable_graph::place_of(buffer_key recorded) const noexcept {
  return static_cast<std::size_t>(
      std::find(recorded_.externals.begin(), recorded_.externals.end(), recorded.value() + 1) -
      recorded_.externals.begin());
}

void executable_graph::let_go(process& rt, buffer_key recorded) {
  const std::size_t at = place_of(recorded);
  if (at == recorded_.externals.size() || held_[at] == 0) return;
  held_[at] = 0;
  --rt.buffers[live_[at]].graph_uses;
}

void executable_graph::exchange_buffers(process& rt, const std::vector<buffer_change>& buffers) {
  if (uses_ == nullptr) uses_ = std::make_shared<const rebindable>(rt.machine, recorded_, plan_);
  // First what may fail.
  for (const buffer_change& b : buffers) {
    const model::buffer_id plan(static_cast<std::uint32_t>(place_of(b.recorded)));
    rt.buffers.living(b.now);
    for (std::uint16_t m = 0; m < planner::max_memories; ++m)
      if ((uses_->memories_of(plan) >> m & 1U) != 0)
        rt.buffers.ensure_allocation(buffer_table::id_of(b.now), model::memory_id(m));
    if (rt.machine.staging_needed())
      rt.buffers.ensure_allocation(buffer_table::id_of(b.now), model::host_memory);
  }
  // Replays that the live state has not seen are of the buffers before.
  if (rt.replays.were_last(*this)) rt.replays.settle(rt);
  std::vector<std::uint32_t> steps;
  for (const buffer_change& b : buffers) {
    const std::size_t at = place_of(b.recorded);
    const model::buffer_id plan(static_cast<std::uint32_t>(at));
    let_go(rt, b.recorded);
    take_buffer(rt, plan, buffer_table::id_of(b.now));
    const auto more = uses_->steps_of(plan);
    steps.insert(steps.end(), more.begin(), more.end());
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  exchange_steps(rt, steps);
}

bool executable_graph::exchange_values(process& rt, const std::vector<value_change>& values,
                                       const std::vector<buffer_change>& buffers) {
  if (whole_ != nullptr || !rt.lanes.finished(rt.state.tail(lane_))) return false;
  if (times_ != nullptr) times_->changed = true;
  if (!buffers.empty()) {
    retire_generations(rt);
    exchange_buffers(rt, buffers);
  }
  if (values.empty()) return true;
  // What uses which buffer does not follow from values.
  const std::shared_ptr<const rebindable> uses = uses_;
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
  uses_ = uses;
  return true;
}

}  // namespace pianola::runtime
