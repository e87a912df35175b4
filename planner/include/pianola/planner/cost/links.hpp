// SPDX-License-Identifier: Apache-2.0
// What transfers take over one link, which says so itself.
#pragma once
#include <cstdint>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

namespace pianola::planner {

[[nodiscard]] inline double transfer_seconds(const model::link_description& link,
                                             std::uint64_t bytes) noexcept {
  return link.latency + static_cast<double>(bytes) / link.bandwidth;
}
// Negative if the memories are not linked.
[[nodiscard]] inline double transfer_seconds(const model::topology& machine, model::memory_id from,
                                             model::memory_id to, std::uint64_t bytes) noexcept {
  const model::link_description* const link = machine.link(from, to);
  return link == nullptr ? -1.0 : transfer_seconds(*link, bytes);
}
// What goes over the link in the time of its latency.
[[nodiscard]] inline double bytes_worth_latency(const model::link_description& link) noexcept {
  return link.latency * link.bandwidth;
}

}  // namespace pianola::planner
