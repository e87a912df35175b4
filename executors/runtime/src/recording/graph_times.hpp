// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pianola::runtime {

// What the commands of a graph have taken in its replays: for PIANOLA_RECORD_TIMES, each with nothing else beside it; or of
// launches as they are, of which times of nodes are noted anyway. Native graphs refer to it.
struct graph_times {
  graph_times(std::size_t commands, bool as_launched)
      : count(commands),
        of_launches(as_launched),
        least(new std::atomic<std::uint64_t>[commands] {}) {}

  std::size_t count;
  bool of_launches;
  std::unique_ptr<std::atomic<std::uint64_t>[]> least;  // nanoseconds; 0: not known
  // The graph has been updated: it does not do any more what its file says.
  std::atomic<bool> changed{false};
};

}  // namespace pianola::runtime
