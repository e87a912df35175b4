// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::runtime {

class machine;

// The blocks in which an executable graph keeps buffers that are not there all the time: one in each memory where its
// plan has slots.
class slot_storage {
 public:
  slot_storage() = default;
  // Throws user_error (memory_allocation).
  slot_storage(const machine& m, const planner::plan& p);

  // Where a step finds the buffer; null if that has an allocation of its own there.
  [[nodiscard]] void* address(const planner::plan& p, model::buffer_id buffer,
                              model::memory_id memory, std::size_t step) const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::shared_ptr<void>> blocks_;  // index: memory
  std::size_t bytes_ = 0;
};

}  // namespace pianola::runtime
