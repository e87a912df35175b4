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
  // Of a graph that a loop or branch runs.
  struct body {
    std::size_t command;  // the loop or branch
    std::shared_ptr<const command_places> of;
  };
  std::vector<place> places;           // index: command
  std::size_t own_commands = 0;        // that were recorded; others may follow
  std::vector<std::uint32_t> moved;    // from the recorded commands to these; empty: the same
  std::shared_ptr<const void> origin;  // storage of the graph that it was finalized from
  bool in_parts = false;               // the commands are not those that were recorded
  std::vector<body> bodies;            // by command; those of one in their order
};

struct body_times;

// When the commands of one launch were run. Executors write it, by several threads at a time.
struct launch_times {
  explicit launch_times(std::shared_ptr<const command_places> where);

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

  // Of the graphs that this command, a loop or branch, runs: the first one's; null: nobody has said.
  [[nodiscard]] body_times* of_bodies(std::size_t command) noexcept;

  std::size_t count;
  std::shared_ptr<const command_places> at;
  std::unique_ptr<std::atomic<std::uint64_t>[]> started, ended;  // nanoseconds; 0: not known
  // Graphs that the command, a loop or branch, has run.
  std::unique_ptr<std::atomic<std::uint64_t>[]> runs;
  std::vector<body_times> bodies;  // index: as at->bodies
};

// The same of a graph that a loop or branch runs, round by round, and what all rounds of the launch come to.
struct body_times {
  struct sum {
    // Of the first round that ran the command, and of the last; 0: none has.
    std::uint64_t started = 0, ended = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t rounds = 0;
  };

  explicit body_times(std::shared_ptr<const command_places> where)
      : round(std::move(where)), all(round.count) {}

  // A round has finished, and the next one has not begun.
  void add_round() noexcept {
    for (std::size_t i = 0; i < round.count; ++i) {
      const std::uint64_t from = round.started[i].exchange(0, std::memory_order_relaxed);
      const std::uint64_t to = round.ended[i].exchange(0, std::memory_order_relaxed);
      if (from == 0) continue;
      sum& s = all[i];
      if (s.rounds++ == 0) s.started = from;
      s.ended = to;
      s.nanoseconds += to - from;
    }
  }

  launch_times round;    // `runs` are of all rounds
  std::vector<sum> all;  // index: command
};

inline launch_times::launch_times(std::shared_ptr<const command_places> where)
    : count(where->places.size()),
      at(std::move(where)),
      started(new std::atomic<std::uint64_t>[count] {}),
      ended(new std::atomic<std::uint64_t>[count] {}),
      runs(new std::atomic<std::uint64_t>[count] {}) {
  bodies.reserve(at->bodies.size());
  for (const command_places::body& b : at->bodies) bodies.emplace_back(b.of);
}

inline body_times* launch_times::of_bodies(std::size_t command) noexcept {
  for (std::size_t i = 0; i < at->bodies.size(); ++i)
    if (at->bodies[i].command == command) return &bodies[i];
  return nullptr;
}

}  // namespace pianola::runtime
