// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/plan.hpp"

namespace pianola::planner {

using held_copy = std::pair<model::memory_id, model::buffer_id>;

// Where buffers are for any of the plan's steps or at its start; sorted, each once.
[[nodiscard]] std::vector<held_copy> held_copies(model::array_view<const model::command> commands,
                                                 const model::topology& topology, const plan& p);

// Bytes that the commands allocate themselves, by memory.
struct allocated_bytes {
  std::uint64_t taken = 0;  // where allocations share room, it counts once
  std::uint64_t apart = 0;  // if each had room of its own; one that nested graphs share is one
};
[[nodiscard]] std::map<model::memory_id, allocated_bytes> allocated_by(
    model::array_view<const model::command> commands);

}  // namespace pianola::planner
