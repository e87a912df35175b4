// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/make_plan.hpp"

namespace pianola::planner {

void apply_exit_state(const plan& recorded, model::array_view<const model::buffer_id> buffers,
                      planning_state& state, model::step_id since) {
  for (const validity_entry& e : recorded.exit)
    state.set_validity(buffers[e.buffer.value()], e.elements, e.memories, since);
}

}  // namespace pianola::planner
