// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

class process;

// Returns when all of these have been reached; helps with the work meanwhile. Expects the runtime's lock not to be held.
// `what`: for the hint that a thread gets which holds a host access that is in the way, other than its access with the
// lane `mine`.
void wait_until_reached(process& rt, model::array_view<const executors::lane_position> positions,
                        std::string_view what = "commands", model::lane_id mine = {}) noexcept;

}  // namespace pianola::runtime
