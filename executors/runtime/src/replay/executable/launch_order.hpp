// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/ids.hpp>

#include "queues/outside_events.hpp"

namespace pianola::runtime {

// What the launches of an executable graph come after, in whichever of its instances they run. Guarded by the runtime's
// lock.
struct launch_order {
  // The launch before, and its lane.
  model::step_id last_launch;
  model::lane_id last_lane;
  // That the next launch waits for, and queues that each one waits for.
  outside_events outside;
  // Of what was there before an update that did not wait for its replays: those of what is there now come after it.
  std::vector<model::step_id> before;
};

}  // namespace pianola::runtime
