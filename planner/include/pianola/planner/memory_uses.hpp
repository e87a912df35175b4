// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "plan.hpp"

namespace pianola::planner {

// What plan::memories says of a plan that has everything else: what the runtime allocates for it in each memory, which
// stays for as long as the graph does. Where a buffer has slots, that is the room of those, else its full size; to that
// comes what the commands allocate. `budget`: bytes of each memory but the host's; 0: all that it has.
[[nodiscard]] std::vector<memory_use> memory_uses(
    model::array_view<const model::command> commands,
    model::array_view<const model::buffer_info> buffers, const model::topology& topology,
    const plan& plan, std::uint64_t budget);

}  // namespace pianola::planner
