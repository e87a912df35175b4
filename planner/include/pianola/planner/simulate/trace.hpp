// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "simulate.hpp"

namespace pianola::planner {

// When each step runs, in the trace event format that Perfetto and chrome://tracing show: a process for each device, a
// thread for each lane, and an arrow for each wait between lanes. Times are whole nanoseconds. Perfetto drops what overlaps
// something else of its thread, so that what ran at the same time as another step of its lane has a thread beside the lane's.
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

// When the commands of a graph ran, launch by launch. Nanoseconds on one clock.
struct measured_launches {
  struct place {
    model::device_id device;  // none: the command runs nowhere
    std::uint32_t lane = 0;   // of the plan
  };
  struct launch {
    std::uint64_t submitted = 0;
    std::vector<std::uint64_t> started, ended;  // by command; 0: not known
  };
  std::vector<place> places;  // by command
  std::vector<launch> launches;
};
// The same of these, from the first submission on: all commands on their lanes, a process with a slice for each launch, and
// within a launch an arrow between lanes wherever a command comes after another one.
[[nodiscard]] std::string to_trace(const measured_launches&, const graph_view&,
                                   const model::topology&);

}  // namespace pianola::planner
