// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include <pianola/model/ids.hpp>

namespace pianola::runtime {

class graph;
class held_commands;
class split_recording;
struct launch_times;

// What an event knows beyond the place in its lane: times (profiling queues), or the node of a graph
// that the command was recorded as.
struct event_record {
  std::atomic<std::uint64_t> submitted{0};
  std::atomic<std::uint64_t> started{0};
  std::atomic<std::uint64_t> ended{0};
  bool timed = false;
  std::shared_ptr<launch_times> nodes;  // of a launch; null: nobody asked
  std::weak_ptr<graph> recorded_in;
  model::command_id node;
  std::weak_ptr<split_recording> cut_by_waits;    // the same graph, if waits cut its recording
  std::shared_ptr<const std::atomic<bool>> over;  // likewise: its leg of the recording has run
  held_commands* held =
      nullptr;  // those of a queue that captures, of which this is one, at `position`
};

}  // namespace pianola::runtime
