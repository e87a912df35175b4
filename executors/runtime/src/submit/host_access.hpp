// SPDX-License-Identifier: Apache-2.0
// Accesses by the host program: commands without an executor.
#pragma once
#include <vector>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::runtime {

class process;

// Expect the runtime's lock to be held.

// What has not finished of the steps that an access of the elements would have to wait for.
[[nodiscard]] std::vector<executors::lane_position> users_of(const process& rt, model::buffer_id id,
                                                             const model::box& elements,
                                                             bool writes);

struct planned_access {
  std::vector<executors::lane_position> waits;
  model::lane_id lane;  // busy until the access ends
  model::step_id step;
};
// Plans an access, with the transfers that it needs. Throws model::user_error where one of these is refused: then there is
// no access.
[[nodiscard]] planned_access plan_host_access(process& rt, model::buffer_id id,
                                              const model::box& elements, model::access_mode mode,
                                              bool no_init);
void end_host_access(process& rt, model::lane_id lane) noexcept;

}  // namespace pianola::runtime
