// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/model/ids.hpp>

namespace pianola::runtime {

// Where the commands of an executable graph run, as planned.
struct command_places {
  struct place {
    model::device_id device;
    std::uint32_t lane = 0;
  };
  std::vector<place> places;           // index: command
  std::vector<std::uint32_t> moved;    // from the recorded commands to these; empty: the same
  std::shared_ptr<const void> origin;  // storage of the graph that it was finalized from
  bool in_parts = false;               // the commands are not those that were recorded
};

// When the commands of one launch were run. Executors write it, by several threads at a time.
struct launch_times {
  explicit launch_times(std::shared_ptr<const command_places> where)
      : count(where->places.size()),
        at(std::move(where)),
        started(new std::atomic<std::uint64_t>[count] {}),
        ended(new std::atomic<std::uint64_t>[count] {}),
        runs(new std::atomic<std::uint64_t>[count] {}) {}

  // A part of the command was run.
  void note(std::size_t command, std::uint64_t from, std::uint64_t to) noexcept {
    std::uint64_t before = started[command].load(std::memory_order_relaxed);
    while ((before == 0 || from < before) &&
           !started[command].compare_exchange_weak(before, from, std::memory_order_relaxed)) {
    }
    before = ended[command].load(std::memory_order_relaxed);
    while (to > before &&
           !ended[command].compare_exchange_weak(before, to, std::memory_order_relaxed)) {
    }
  }

  std::size_t count;
  std::shared_ptr<const command_places> at;
  std::unique_ptr<std::atomic<std::uint64_t>[]> started, ended;  // nanoseconds; 0: not known
  // Graphs that the command, a loop or branch, has run.
  std::unique_ptr<std::atomic<std::uint64_t>[]> runs;
};

}  // namespace pianola::runtime
