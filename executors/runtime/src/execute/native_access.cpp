// SPDX-License-Identifier: Apache-2.0
#include "execute/native_access.hpp"

#include <variant>

#include "machine/lane_table.hpp"

namespace pianola::runtime {

void give_access(lane_table& lanes, model::device_id device, executors::resolved_action& action) {
  auto* task = std::get_if<executors::resolved_host_task>(&action);
  if (task == nullptr || task->invoke_with_access == nullptr) return;
  task->access.device = device;
  if (task->enqueues) return;  // the lane's own
  task->access.stream = lanes.task_stream(device);
}

}  // namespace pianola::runtime
