// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/options.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// Fills plan.memories of a plan that has everything else: see memory_uses.
void measure_memory(model::array_view<const model::command> commands,
                    model::array_view<const model::buffer_info> buffers,
                    const model::topology& topology, const options& options, plan& out);

// Whether no memory's peak exceeds its budget.
[[nodiscard]] bool fits(const plan& measured);

// Whether the plan needs more than some budget. Then `room` (see window) gets what a memory has for buffers that may
// leave it. Throws model::user_error (memory_allocation), with the largest buffers, if those that may not leave are too
// much; and if no budget keeps a block from growing beyond what 64 bits can count.
[[nodiscard]] bool shrink_room(model::array_view<const model::command> commands,
                               model::array_view<const model::buffer_info> buffers,
                               const model::topology& topology, const options& options,
                               const plan& measured, std::vector<std::uint64_t>& room);

}  // namespace pianola::planner
