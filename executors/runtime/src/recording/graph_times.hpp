// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace pianola::runtime {

struct command_places;

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

  // The latest launches, of which times of nodes are noted anyway; under the runtime's lock.
  struct launch {
    std::uint64_t submitted;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> times;  // start and end; index: command
  };
  // Of all launches that are kept: commands.
  static constexpr std::size_t most_kept = std::size_t{1} << 18;
  void keep(launch l) {
    launches.push_back(std::move(l));
    while (launches.size() > 1 && launches.size() * count > most_kept) {
      launches.pop_front();
      ++left_out;
    }
  }
  std::deque<launch> launches;
  std::uint64_t left_out = 0;
  std::shared_ptr<const command_places> places;  // null: nothing was launched
  // The graph has been updated: it does not do any more what its file says.
  std::atomic<bool> changed{false};
};

}  // namespace pianola::runtime
