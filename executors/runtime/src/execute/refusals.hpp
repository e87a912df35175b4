// SPDX-License-Identifier: Apache-2.0
// Steps that were planned and that their executor then did not take.
#pragma once
#include <cstddef>
#include <exception>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>

#include "machine/lane_table.hpp"

namespace pianola::runtime {

class process;

// Something that waits for the same takes the place of such a step in the order. Expects the runtime's lock to be held.
class refusals {
 public:
  explicit refusals(process& rt) : rt_(rt) {}

  // The executor did not take this planned step of the lane, which had to come after `waits` and `begun`. What it would
  // have written, the bytes of a step_context or nothing, is where it was.
  void refuse(model::lane_id lane, model::step_id id,
              model::array_view<const executors::lane_position> waits,
              model::array_view<const executors::lane_position> begun,
              model::array_view<const std::byte> context, const std::exception_ptr& cause);
  // Once this is reached, all refusals so far have been dealt with; null if they have.
  [[nodiscard]] executors::lane_position end() const noexcept {
    if (stand_ins_.native == nullptr) return {};
    return {&stand_ins_.native->completion(), stand_ins_.position};
  }

 private:
  // Submits what takes the step's place; what has been reached already if that is not possible.
  executors::lane_position stand_in(model::step_id id,
                                    model::array_view<const executors::lane_position> waits,
                                    model::array_view<const std::byte> context,
                                    const std::exception_ptr& cause,
                                    const executors::lane_position& reached);

  process& rt_;
  side_lane stand_ins_;  // made when the first step is refused
};

}  // namespace pianola::runtime
