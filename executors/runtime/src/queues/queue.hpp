// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/runtime/queues.hpp>

namespace pianola::runtime {

class graph;
class queue_capture;
class split_recording;

class queue : public std::enable_shared_from_this<queue> {
 public:
  queue(std::uint64_t id, queue_description d) : id_(id), description_(std::move(d)) {}
  ~queue();

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

  // What it captures by itself, null if it does not. Under the lock of that.
  std::shared_ptr<queue_capture> capture;
  // It records into a graph, or did at some time.
  std::atomic<bool> has_recorded{false};
  [[nodiscard]] const queue_description& description() const noexcept { return description_; }

  // A failure for the handler. The same failure is kept once, however many commands it reached.
  void add_error(const std::exception_ptr& error) noexcept;
  [[nodiscard]] std::vector<std::exception_ptr> take_errors();
  void deliver_errors();

  // ---- under the runtime's lock ----------------------------------------------------------------
  struct lane_tail {
    const executors::progress* lane;
    std::uint64_t position;
    model::step_id step;
  };
  // The last step of this queue on each lane it has used.
  std::vector<lane_tail> tails;
  model::step_id last_step;     // in-order queues
  model::step_id barrier_step;  // out-of-order queues: everything later waits for it
  // The one lane that its commands go to, if it has one of its own.
  model::lane_id lane;
  // Where submissions go instead of the device. Recording ends with the graph.
  std::weak_ptr<graph> recording;
  std::weak_ptr<split_recording> cut_by_waits;  // the same graph, if waits cut its recording
  event last;                                   // in-order queues
  event last_recorded_event;

  // So that the next `add_tail` does not throw. May throw std::bad_alloc.
  void make_room_for_tail() {
    if (tails.size() == tails.capacity()) tails.reserve(2 * tails.size() + 4);
  }
  void add_tail(const executors::progress* lane, std::uint64_t position, model::step_id step) {
    for (auto& t : tails)
      if (t.lane == lane) {
        t.position = position;
        t.step = step;
        return;
      }
    tails.push_back({lane, position, step});
  }
  // Events of the last step on each lane, where it has not ended.
  [[nodiscard]] std::vector<event> unfinished_tails() const;

 private:
  std::uint64_t id_;
  queue_description description_;
  std::mutex error_mutex_;
  std::vector<std::exception_ptr> errors_;
};

}  // namespace pianola::runtime
