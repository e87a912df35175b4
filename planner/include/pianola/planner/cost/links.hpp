// SPDX-License-Identifier: Apache-2.0
// What transfers take from one memory to another: what each link says of itself, over the host's memory where there is none.
// All of planning asks here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// From one memory to another. Infinite if there is no way, nothing from a memory to itself.
struct way {
  double latency = std::numeric_limits<double>::infinity();  // seconds
  double per_byte = 0;
  bool direct = false;  // over one link; else over the host's memory
  [[nodiscard]] double seconds(std::uint64_t bytes) const noexcept {
    return latency + static_cast<double>(bytes) * per_byte;
  }
};

[[nodiscard]] inline way way_over(const model::link_description& link) noexcept {
  return {link.latency, 1.0 / link.bandwidth, true};
}

// Of each memory to each, index: from * memories + to.
[[nodiscard]] std::vector<way> ways_of(const model::topology& machine);

// What goes over the link in the time of its latency.
[[nodiscard]] inline double bytes_worth_latency(const model::link_description& link) noexcept {
  return link.latency * link.bandwidth;
}

// Where to take data from: straight from `source`, or first from `source` to the host's memory.
struct route {
  model::memory_id source;  // invalid: there is no way
  bool over_host = false;
};

// The cheapest way to bring data, valid in the memories of `valid` (not none, not `to`), to `to`: a direct link if there is
// any (fewest bytes come first), else two hops over the host's memory, by what the first of them takes. Of equals the
// lowest memory. `seconds(from, to)`: of the link; negative: there is none.
template <class F>
[[nodiscard]] route cheapest_route(memory_mask valid, model::memory_id to, F&& seconds) {
  const auto cheapest = [&](model::memory_id target) {
    model::memory_id best;
    double best_seconds = 0;
    for (memory_mask left = valid; left != 0; left &= left - 1) {
      const model::memory_id from(static_cast<std::uint16_t>(__builtin_ctzll(left)));
      const double takes = seconds(from, target);
      if (takes < 0 || (best.valid() && takes >= best_seconds)) continue;
      best = from;
      best_seconds = takes;
    }
    return best;
  };
  if (const model::memory_id direct = cheapest(to); direct.valid()) return {direct, false};
  if (seconds(model::host_memory, to) < 0) return {};
  return {cheapest(model::host_memory), true};
}

// Gives links from `first` on that their backend describes without a bandwidth the figures of their class, which hold until
// somebody measures.
void estimate_links(std::vector<model::link_description>& links, std::size_t first,
                    std::string_view backend);

}  // namespace pianola::planner
