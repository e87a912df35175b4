// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/cost/links.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// cheapest_route of `bytes` bytes over the machine's links. Depends on nothing else, so that planning again from another
// entry state decides alike. Throws model::user_error (invalid) if there is no way.
[[nodiscard]] route choose_route(const model::topology& machine, memory_mask valid,
                                 model::memory_id to, std::uint64_t bytes);

// Throws model::user_error (invalid) if there are too many memories to plan for, or if one is not
// linked with the host's memory in both directions, without which data in it could be out of reach.
void check_links(const model::topology& machine);

// The device on whose lanes a transfer runs: one that owns the destination, else one that owns the
// source, else any; of several the one with the lowest id. Host memory counts last: the device at the
// other end makes the copies from and to it.
[[nodiscard]] model::device_id device_for_transfer(const model::topology& machine,
                                                   model::memory_id from, model::memory_id to);

}  // namespace pianola::planner
