// SPDX-License-Identifier: Apache-2.0
// A host accessor whose thread holds another one that is in its way. Any other thread may end that one, so it is waited
// for. But where there is no other thread, nobody can use it meanwhile or end it: then the new access begins inside
// of it, and both count as over when both are.
#pragma once
#include <vector>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

class process;

// Brings those of `waits` that are accesses which the calling thread has begun to the end, and gives them. `mine` is the
// lane of the access that waits. The runtime's lock is held.
[[nodiscard]] model::array_view<const executors::lane_position> own_accesses_last(
    process&, model::lane_id mine, std::vector<executors::lane_position>& waits);

// Returns when they are over or the access of lane `mine` has begun inside of them. Gives the hint of PIANOLA_WAIT_HINT.
// Takes the lock. May throw std::bad_alloc.
void wait_for_own_accesses(process&, model::array_view<const executors::lane_position> own,
                           model::lane_id mine);

}  // namespace pianola::runtime
