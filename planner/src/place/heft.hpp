// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "place/ranked.hpp"

namespace pianola::planner::place {

// Heterogeneous Earliest Finish Time as it was published (Topcuoglu, Hariri and Wu, 2002), for comparison: commands by
// upward rank, each where it ends first, in gaps that others have left. Every edge with data is a transfer of its own
// that begins when the earlier command ends and meets no other; where else the data may be already is not asked.
[[nodiscard]] placing_of_all heft(const ranked_problem& p);

}  // namespace pianola::planner::place
