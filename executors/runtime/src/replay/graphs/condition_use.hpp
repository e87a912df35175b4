// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::runtime {

class process;
struct graph_snapshot;

// Whether running the graph may read or write the allocation that `condition`, a pointer to USM, points into. False is
// proven: by what copies and fills name, and by the compiler's facts about kernels. Takes the runtime's lock.
[[nodiscard]] bool may_use(process&, const graph_snapshot&, const void* condition);

}  // namespace pianola::runtime
