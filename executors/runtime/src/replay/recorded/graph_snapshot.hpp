// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <pianola/recorder/graph.hpp>
#include <pianola/runtime/ids.hpp>

#include "queues/outside_events.hpp"
#include "replay/recorded/graph_memory.hpp"

namespace pianola::runtime {

// What a graph holds at one moment, in an order that respects every edge. Buffers have their keys, plus one, as external
// names.
struct graph_snapshot : recorder::graph_contents {
  std::vector<std::shared_ptr<graph_memory>> memories;  // of this graph and those nested in it
  std::optional<bool> narrowing;                        // as the program has asked for it
  std::shared_ptr<const void> footprints;               // what describe_footprints has added
  std::uint64_t memory_budget = 0;                      // bytes of each device's; 0: all
  outside_events outside;                               // that the first replay waits for, or each

  [[nodiscard]] buffer_key key(std::size_t buffer) const {
    return buffer_key(externals[buffer] - 1);
  }
  [[nodiscard]] graph_snapshot copy() const {
    graph_snapshot s = *this;
    s.refer();
    return s;
  }
};

}  // namespace pianola::runtime
