// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <pianola/model/requirement.hpp>
#include <pianola/runtime/events.hpp>
#include <pianola/runtime/replay_options.hpp>

#include "replay/executable/launch_order.hpp"
#include "replay/executable/planned_graph.hpp"

namespace pianola::runtime {

struct event_record;
struct submission;
class native_segments;
class process;
class queue;

// Replays of a planned graph, and what they do to the live data state. The runtime's lock is held.
class graph_replays {
 public:
  graph_replays(const planned_graph& g, native_segments& segments) : g_(g), segments_(segments) {}

  // The plan and the buffers are there.
  void prepare(const replay_options& options, bool has_host_tasks);
  // One replay, as one command of the queue. Throws user_error.
  event replay(process& rt, queue& q, const submission& s, launch_order& order);
  // Plans what replays without a look at buffers have left out.
  void settle(process& rt);
  // The same, if there may be any.
  void settle_if_last(process& rt);
  // Of the latest replay; invalid: there was none.
  [[nodiscard]] model::step_id last_step() const noexcept { return last_step_; }
  [[nodiscard]] std::uint64_t transfers() const noexcept { return transfers_; }

  // A replay reads and leaves something else from now on, or there is none any more.
  void retell(process& rt) noexcept;
  // Replays work on this one in the place of the plan's from now on.
  void take_buffer(process& rt, model::buffer_id plan, model::buffer_id live) noexcept;

 private:
  void make_requirements();
  void count_transfers();
  // Whether replays need not wait for each other.
  [[nodiscard]] bool overlaps() const noexcept { return options_.in_flight > 1; }
  [[nodiscard]] std::vector<std::uint64_t> order_of_replay(const process& rt, const queue& q,
                                                           const submission& s,
                                                           const launch_order& order) const;
  [[nodiscard]] std::shared_ptr<event_record> begin_record(const process& rt, const queue& q) const;
  void note_replay(process& rt, queue& q, launch_order& order, const event& replayed);
  void spoil(process& rt, const std::exception_ptr& cause);
  [[nodiscard]] std::vector<model::requirement> requirements_for_files() const;

  const planned_graph& g_;
  native_segments& segments_;
  replay_options options_;
  bool has_host_tasks_ = false;
  bool has_loops_of_devices_ = false;
  std::uint64_t watched_as_ = 0;                  // a number of loop_watch; 0: none yet
  std::vector<model::requirement> requirements_;  // of one replay, against the live state
  std::vector<std::uint32_t> required_;           // index: as requirements_; the plan's buffer
  // By which a recording of the program knows what a replay reads and leaves; 0: it does not.
  std::uint64_t told_as_ = 0;
  std::uint64_t transfers_ = 0, transferred_bytes_ = 0, transferred_pages_ = 0;
  model::step_id last_step_;
  std::uint64_t unsettled_ = 0;  // replays since the live state was last brought up to date
};

}  // namespace pianola::runtime
