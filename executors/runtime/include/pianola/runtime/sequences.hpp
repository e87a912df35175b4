// SPDX-License-Identifier: Apache-2.0
// Recordings that are cut where the program waits for what was recorded.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "graph_parameters.hpp"
#include "graphs.hpp"

namespace pianola::runtime {

// From now on a wait for a queue that records into the graph, for the event of a command that was recorded, a host access
// or the end of a buffer that the recorded commands use cuts the recording: what was recorded runs, has run when the wait
// returns, and is a leg. It runs on the values, of which each leg takes those of parameters that it uses. To be called before
// anything records.
void split_at_waits(graph&, parameter_values values);
// The legs that have run, and a last one of what was recorded since, if there is anything. Throws model::user_error as
// finalize, and (invalid) while a queue records.
struct graph_legs {
  std::vector<std::shared_ptr<executable_graph>> all;
  std::size_t first = 0;  // the last one if it has not run, else that at the beginning
};
[[nodiscard]] graph_legs legs_of(graph&);
// Whether the value stands for something that the graph uses.
[[nodiscard]] bool takes_value(const executable_graph&, const parameter_value&);

}  // namespace pianola::runtime
