// SPDX-License-Identifier: Apache-2.0
// When the nodes of one launch of a graph were run (replay_options::node_times).
#pragma once
#include <cstdint>

#include <pianola/model/ids.hpp>

#include "events.hpp"
#include "graphs.hpp"

namespace pianola::runtime {

// Nanoseconds on the clock of profiling(). Of a node of several commands from the start of the first to the end of the
// last. Start and end are 0 where nobody knows: the node does nothing, was left out after a failure, or is run by a driver
// whose graphs cannot record events.
struct node_times {
  std::uint64_t submitted = 0;  // the launch
  std::uint64_t started = 0;
  std::uint64_t ended = 0;
  model::device_id device;
  std::uint32_t lane = 0;  // of the plan, of the node's last command
  // Of a loop or branch: graphs that it has run; 0 also where a device decides by itself, and nobody counts.
  std::uint64_t runs = 0;
};

// `launch` is the event of a launch of an executable graph, `node` of the graph that this was finalized from. Waits for the
// launch. Throws model::user_error: invalid if the event is of no launch with such times, or the node not of its graph;
// feature_not_supported for graphs that run in parts on several devices.
[[nodiscard]] node_times times_of(const event& launch, const graph&, model::command_id node);

}  // namespace pianola::runtime
