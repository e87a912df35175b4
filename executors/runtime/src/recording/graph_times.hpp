// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pianola::runtime {

// What the commands of a graph have taken in its replays, for PIANOLA_RECORD_TIMES. Native graphs refer to it.
struct graph_times {
  explicit graph_times(std::size_t commands)
      : count(commands), least(new std::atomic<std::uint64_t>[commands] {}) {}

  std::size_t count;
  std::unique_ptr<std::atomic<std::uint64_t>[]> least;  // nanoseconds; 0: not known
  // The graph has been updated: it does not do any more what its file says.
  std::atomic<bool> changed{false};
};

}  // namespace pianola::runtime
