// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulate.hpp"

namespace pianola::planner {

// When each step runs, in the trace event format that Perfetto and chrome://tracing show: a process for each device, a
// thread for each lane, and an arrow for each wait between lanes.
[[nodiscard]] std::string to_trace(const simulation&, const graph_view&, const plan&,
                                   const model::topology&);

// When a command ran. Seconds.
struct measured_span {
  double started = -1;  // less than 0: not known
  double seconds = 0;
};
// The same of what was measured, by command: those that are known, on the lanes of the plan, or of their devices without
// one. Transfers are not measured: those of the plan are where they fit in between, for as long as they are expected to
// take, and say so.
[[nodiscard]] std::string to_trace(const std::vector<measured_span>&, const graph_view&,
                                   const plan* of_the_run, const model::topology&);

}  // namespace pianola::planner
