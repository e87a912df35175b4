// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/make_plan.hpp"

namespace pianola::planner {

void apply_exit_state(const plan& recorded, model::array_view<const model::buffer_id> buffers,
                      planning_state& state, model::step_id since) {
  for (const validity_entry& e : recorded.exit)
    state.set_validity(buffers[e.buffer.value()], e.elements, e.memories, since);
}

bool contract_holds(const plan& recorded, model::array_view<const model::buffer_id> buffers,
                    const planning_state& state) {
  bool holds = true;
  for (const validity_entry& e : recorded.contract) {
    state.for_each_validity(buffers[e.buffer.value()], e.elements,
                            [&](const model::box&, memory_mask m) {
                              if (m != 0 && (m & e.memories) != e.memories) holds = false;
                            });
    if (!holds) return false;
  }
  return true;
}

}  // namespace pianola::planner
