// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "plan.hpp"

namespace pianola::planner {

// For the steps of a run that was planned command by command: fills in what the plan of a graph says about itself as a
// whole, contract, exit state and accesses. What was never written counts as valid wherever it was read first.
// Throws model::user_error (invalid) if the data comes to lie in more than `most_boxes` that differ: a few commands that cross
// each other make very many.
void summarise_run(model::array_view<const model::command> commands,
                   model::array_view<const model::buffer_info> buffers,
                   const model::topology& topology, plan& run, std::size_t most_boxes);

}  // namespace pianola::planner
