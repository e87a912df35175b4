// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/cost/links.hpp"

namespace pianola::planner {

// connections::cheapest. Depends on nothing else, so that planning again from another entry state decides alike. Throws
// model::user_error (invalid) if there is no way.
[[nodiscard]] route choose_route(const connections& links, const model::topology& machine,
                                 const model::memory_set& valid, model::memory_id to,
                                 std::uint64_t bytes);

// Throws model::user_error (invalid) if there are too many memories to plan for, or devices or links name others.
void check_memories(const model::topology& machine);
// Of such a machine; throws model::user_error (invalid) if a memory is not linked with the host's in both directions,
// without which data in it could be out of reach.
void check_links(const model::topology& machine, const connections& links);

// The device on whose lanes a transfer runs: one that owns the destination, else one that owns the
// source, else any; of several the one with the lowest id. Host memory counts last: the device at the
// other end makes the copies from and to it.
class transfer_devices {
 public:
  transfer_devices() = default;
  explicit transfer_devices(const model::topology& machine);

  [[nodiscard]] model::device_id of(model::memory_id from, model::memory_id to) const noexcept {
    const bool to_host = to == model::host_memory;
    for (const model::memory_id owner : {to_host ? from : to, to_host ? to : from})
      if (of_memory_[owner.value()].valid()) return of_memory_[owner.value()];
    return model::device_id(0);
  }

 private:
  std::vector<model::device_id> of_memory_;  // index: memory; the lowest that owns it, if any
};

}  // namespace pianola::planner
