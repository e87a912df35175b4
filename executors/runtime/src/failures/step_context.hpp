// SPDX-License-Identifier: Apache-2.0
// What travels with a step through the executors and comes back to the runtime when something is to
// be said about it: plain bytes.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include <pianola/model/requirement.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::runtime {

struct event_record;
struct launch_times;

// One requirement of a step, or one end of a transfer.
struct touched_box {
  model::buffer_id buffer;
  std::uint32_t generation = 0;
  model::memory_id memory;  // where the step touches it
  bool reads = false;
  bool writes = false;
  bool replaces = false;   // all of the box is overwritten without a look at it
  bool uniform = true;     // `before` holds for the whole box
  bool for_order = false;  // reads and writes it only as far as others must wait for the step
  model::box elements;
  // Where the data was valid before the step was planned: what holds again if it never runs.
  planner::memory_mask before = 0;
};

struct step_context {
  std::uint64_t queue = 0;  // 0: none
  model::step_id step;
  // Steps of a recorded graph, and its launch: which replay is running; else null.
  struct replay_state {
    std::atomic<std::uint64_t> step{0};
    std::atomic<std::uint64_t> queue{0};
    // A step has failed, or was left out because of that. Who wants to know lowers it.
    std::atomic<bool> failed{false};
    // Of this launch; null: nobody asked.
    std::atomic<launch_times*> times{nullptr};
  };
  replay_state* replay = nullptr;
  const char* what = "";  // for messages: kernel name, "copy", ... ; lives as long as the process
  std::shared_ptr<event_record>* record = nullptr;  // owned by the step; null if not timed
  // Of a graph's step that is timed: nanoseconds that it took at least, 0 before it has run; the graph's.
  std::atomic<std::uint64_t>* least_time = nullptr;
  // Of a graph's step whose times are noted for each launch: its command.
  static constexpr std::uint32_t no_command = 0xffffffffU;
  std::uint32_t command = no_command;
  // Several steps may share one record: the first of those that open it sets its start.
  bool opens = true;
  bool closes = true;
  std::uint32_t touched_count = 0;
  bool transfer = false;
  model::memory_id transfer_to;

  [[nodiscard]] model::step_id current_step() const noexcept {
    return replay != nullptr ? model::step_id(replay->step.load(std::memory_order_relaxed)) : step;
  }
  [[nodiscard]] std::uint64_t current_queue() const noexcept {
    return replay != nullptr ? replay->queue.load(std::memory_order_relaxed) : queue;
  }
  [[nodiscard]] const touched_box* touched() const noexcept {
    return reinterpret_cast<const touched_box*>(this + 1);
  }
};

}  // namespace pianola::runtime
