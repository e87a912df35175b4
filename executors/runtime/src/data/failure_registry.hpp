// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::runtime {

// What has gone wrong with data and is not over yet. Two kinds of boxes:
// - poisoned: a step that writes them failed half-way; what they hold is neither old nor new. Reading
//   them reports the first cause, until somebody overwrites them.
// - stale: a step that should have written them never ran (its copy failed, or it depends on a step
//   that failed). They hold the old data, which is good for everything that is submitted from now on;
//   commands submitted before that was known are not run.
// Each call costs in proportion to what overlaps its box, whatever else has failed. Not thread-safe (the runtime's
// lock), but for `attention`.
class failure_registry {
 public:
  struct entry {
    model::buffer_id buffer;
    std::uint32_t generation;
    model::box elements;
    std::exception_ptr cause;
    bool poisoned;
    model::step_id known_at;     // stale: matters to steps below only
    model::memory_set valid_in;  // stale: where the old data is
    model::memory_id affected;   // reads in this memory see it; `everywhere`: in all
  };
  static constexpr model::memory_id everywhere{};
  using visitor = std::function<void(const entry&)>;
  using condition = std::function<bool(const entry&)>;

  failure_registry();
  ~failure_registry();
  failure_registry(const failure_registry&) = delete;
  failure_registry& operator=(const failure_registry&) = delete;

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  // The first failure that a read of the box by the step would see; null if none.
  [[nodiscard]] const entry* find(model::buffer_id, std::uint32_t generation,
                                  const model::box& elements, model::memory_id memory,
                                  model::step_id step) const;
  // Those that overlap the box, the oldest first. The visitor must not change the registry.
  void for_each(model::buffer_id, std::uint32_t generation, const model::box& elements,
                const visitor&) const;
  // Some failure that overlaps the box and meets the condition; null if none.
  [[nodiscard]] const entry* any(model::buffer_id, std::uint32_t generation,
                                 const model::box& elements, const condition&) const;
  // One that differs from a known one only in when it was known takes its place.
  void add(entry e);
  // The box has been overwritten: it is good again.
  void clear(model::buffer_id, std::uint32_t generation, const model::box& elements);
  // The buffer has ended: its failures matter only to what was submitted before `next`.
  void end_buffer(model::buffer_id, std::uint32_t generation, model::step_id next);
  // Stale entries that matter to nobody any more: every step below has finished.
  void retire_below(model::step_id) noexcept;

  // Up while there is an entry: executors ask before each step whether it may run.
  [[nodiscard]] const std::atomic<bool>& attention() const noexcept { return attention_; }
  // There may be something new.
  void raise_attention() noexcept {
    if (!empty()) attention_.store(true, std::memory_order_seq_cst);
  }
  void lower_attention() noexcept {
    if (empty()) attention_.store(false, std::memory_order_relaxed);
  }

  // A failure has changed the state of the data since replays were settled last.
  bool replays_disturbed = false;

  // Entries that calls have looked at so far.
  [[nodiscard]] std::uint64_t looked_at() const noexcept;

 private:
  struct storage;
  std::unique_ptr<storage> storage_;
  std::size_t count_ = 0;
  std::atomic<bool> attention_{false};
};

}  // namespace pianola::runtime
