// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "queues/event_record.hpp"
#include "queues/queue.hpp"

namespace pianola::runtime {

// What the events of commands share that a queue has held back together. Whether all of them became one replay, or each was
// submitted by itself, is written once, under the lock of capturing.
class held_commands : public event_record {
 public:
  explicit held_commands(std::shared_ptr<queue> q) : of_(std::move(q)) { held = this; }

  [[nodiscard]] bool are_submitted() const noexcept {
    return submitted_.load(std::memory_order_acquire);
  }
  // The queue lives while something is held back.
  [[nodiscard]] const std::shared_ptr<queue>& of() const noexcept { return of_; }
  void become(event replay) {
    replay_ = std::move(replay);
    finish();
  }
  void become(std::vector<event> each) {
    each_ = std::move(each);
    finish();
  }
  // On a queue that profiles: when the program has submitted the next one, in nanoseconds.
  void note_submission(std::uint64_t now) { submissions_.push_back(now); }
  [[nodiscard]] std::uint64_t submission_of(std::uint64_t place) const noexcept {
    return submissions_[place];
  }
  [[nodiscard]] bool are_one_replay() const noexcept { return each_.empty(); }
  // Of the command at this place, which is submitted.
  [[nodiscard]] const event& event_of(std::uint64_t place) const noexcept {
    return each_.empty() ? replay_ : each_[place];
  }

 private:
  void finish() {
    of_.reset();
    submitted_.store(true, std::memory_order_release);
  }

  std::shared_ptr<queue> of_;
  event replay_;
  std::vector<event> each_;
  std::vector<std::uint64_t> submissions_;
  std::atomic<bool> submitted_{false};
};

}  // namespace pianola::runtime
