// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "plan.hpp"

namespace pianola::planner {

// A few commands that cross each other make very many boxes of data that differ, and a few that use all of them look at each.
struct summary_limits {
  std::size_t boxes;
  std::uint64_t looked_at;  // besides one for each use of a buffer
};

// For the steps of a run that was planned command by command: fills in what the plan of a graph says about itself as a
// whole, contract, exit state and accesses. What was never written counts as valid wherever it was read first. Returns how many
// boxes were looked at, besides one for each use of a buffer. Throws model::user_error (invalid) if these, or those that the data comes to lie in, are more than the limits.
std::uint64_t summarise_run(model::array_view<const model::command> commands,
                            model::array_view<const model::buffer_info> buffers,
                            const model::topology& topology, plan& run,
                            const summary_limits& limits);

}  // namespace pianola::planner
