// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "cost/routes.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "pianola/planner/placement.hpp"
#include "state/window.hpp"

namespace pianola::planner {

double end_on(const model::command& command, const planning_state& state,
              const machine_costs& costs, model::device_id device, double busy) {
  const model::topology& machine = costs.machine();
  // The command's own buffers, numbered as it names them.
  std::vector<model::buffer_info> buffers;
  std::vector<model::requirement> requirements(command.requirements.begin(),
                                               command.requirements.end());
  double there = 0;
  for (model::requirement& r : requirements) {
    const model::buffer_info& info = state.info(r.buffer);
    const model::memory_id memory = r.memory.valid() ? r.memory : machine.memory_of(device);
    if (r.needs_data() && !r.elements.empty()) {
      const model::box needed =
          needs_pages(command) ? info.grid.page_aligned(r.elements) : r.elements;
      const std::uint64_t bytes = needed.count() * info.element_size;
      std::uint64_t missing = 0;
      model::memory_id from = memory;
      state.for_each_validity(
          r.buffer, needed, [&](const model::box& part, const model::memory_set& valid) {
            if (valid.empty() || valid.contains(memory)) return;
            from = choose_route(costs.links(), machine, valid, memory, bytes).source;
            missing += part.count() * info.element_size;
          });
      // One after the other: mostly they come over the same link.
      if (missing != 0) there += costs.seconds(from, memory, missing);
    }
    r.buffer = model::buffer_id(static_cast<std::uint32_t>(buffers.size()));
    buffers.push_back(info);
  }
  model::command alone = command;
  alone.requirements = requirements;
  return std::max(busy, there) + costs.seconds(alone, buffers, device);
}

}  // namespace pianola::planner
