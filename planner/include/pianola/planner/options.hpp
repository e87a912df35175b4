// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::planner {

struct options {
  bool coalesce = true;  // off: one transfer per outdated box and source (the naive plan)
  bool prune = true;     // off: every derived edge is kept
  bool single_lane = false;
};

}  // namespace pianola::planner
