// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include <pianola/runtime/events.hpp>
#include <pianola/runtime/ids.hpp>
#include <pianola/runtime/queues.hpp>
#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

// Where queues capture by themselves what they are given again and again, and hold commands back that they expect to replay.
// Everybody who could see that a command was not submitted tells so first; submissions and waits stand above the capturing
// itself and see no more of it than this. None of it may be called with the runtime's lock held.
class capturing {
 public:
  // Null as long as no queue of the process captures: what everybody else pays is this look.
  [[nodiscard]] static capturing* active() noexcept {
    return active_.load(std::memory_order_acquire);
  }

  // Of events that were held back. Throws user_error (runtime) in a forked process, where nothing captures.
  [[nodiscard]] static capturing& of_held_back();
  // The process was forked: its locks may be held by threads that are not here.
  static void stay_in_parent() noexcept { active_.store(nullptr, std::memory_order_release); }

  // In place of submit_now, which is what becomes of it if the queue does not capture.
  virtual event submit(queue& q, submission& s) = 0;
  // The event of a command that was held back, which is submitted now if it is still.
  virtual event settled(const event& e) = 0;
  // Of a command that was held back on a queue that profiles; as profiling().
  virtual std::uint64_t time_of(const event& e, profiling_time what) = 0;
  // What is held back is submitted, and the program has come to a point at which it waits.
  virtual void host_waits_for(queue& q) = 0;
  virtual void host_waits_for(const event& e) = 0;
  virtual void host_uses(buffer_key buffer) = 0;
  // Nothing that was captured may go on with it.
  virtual void ends(buffer_key buffer) noexcept = 0;
  // The program ends.
  virtual void ends() noexcept = 0;

 protected:
  ~capturing() = default;
  static inline std::atomic<capturing*> active_{nullptr};
};

// Whether the event is of a command that was held back when it was handed out.
[[nodiscard]] bool was_held_back(const event& e) noexcept;

}  // namespace pianola::runtime
