// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulate.hpp"

namespace pianola::planner {

// When each step runs, in the trace event format that Perfetto and chrome://tracing show: a process for each device, a
// thread for each lane, and an arrow for each wait between lanes.
[[nodiscard]] std::string to_trace(const simulation&, const graph_view&, const plan&,
                                   const model::topology&);

}  // namespace pianola::planner
