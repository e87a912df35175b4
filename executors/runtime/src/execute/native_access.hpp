// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

class lane_table;

// What a host task for the driver's own interface gets: the queue's device and, where its backend has such things, a
// stream that nothing else uses. Nothing for other actions. The runtime's lock is held.
void give_access(lane_table& lanes, model::device_id device, executors::resolved_action& action);

}  // namespace pianola::runtime
