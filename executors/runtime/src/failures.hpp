// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <vector>

#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/planner/plan.hpp>

#include "step_context.hpp"

namespace pianola::runtime {

// What has gone wrong with data and is not over yet. Two kinds of boxes:
// - poisoned: a step that writes them failed half-way; what they hold is neither old nor new. Reading
//   them reports the first cause, until somebody overwrites them.
// - stale: a step that should have written them never ran (its copy failed, or it depends on a step
//   that failed). They hold the old data, which is good for everything that is submitted from now on;
//   commands submitted before that was known are not run.
// Not thread-safe (the runtime's lock).
class failure_registry {
 public:
  struct entry {
    model::buffer_id buffer;
    std::uint32_t generation;
    model::box elements;
    std::exception_ptr cause;
    bool poisoned;
    model::step_id known_at;        // stale: matters to steps below only
    planner::memory_mask valid_in;  // stale: where the old data is
    planner::memory_mask affected;  // reads in these memories see it
  };

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] const std::vector<entry>& entries() const noexcept { return entries_; }
  // The first failure that a read of the box by the step would see; null if none.
  [[nodiscard]] const entry* find(model::buffer_id, std::uint32_t generation,
                                  const model::box& elements, model::memory_id memory,
                                  model::step_id step) const noexcept;
  void add(entry e);
  // The box has been overwritten: it is good again.
  void clear(model::buffer_id, std::uint32_t generation, const model::box& elements);
  void forget_buffer(model::buffer_id, std::uint32_t generation);
  // Stale entries that matter to nobody any more: every step below has finished.
  void retire_below(model::step_id) noexcept;

 private:
  std::vector<entry> entries_;
};

}  // namespace pianola::runtime
