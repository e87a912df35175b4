// SPDX-License-Identifier: Apache-2.0
// When the nodes of one launch of a graph were run (replay_options::node_times).
#pragma once
#include <cstdint>

#include <pianola/model/ids.hpp>

#include "events.hpp"
#include "graphs.hpp"

namespace pianola::runtime {

// Nanoseconds on the clock of profiling(). Of a node of several commands from the start of the first to the end of the last; of one
// of a graph that loops and branches run from that of the first round to that of the last. Start and end are 0 where nobody knows:
// the node does nothing, was left out after a failure, or is run by a driver whose graphs cannot record events.
struct node_times {
  std::uint64_t submitted = 0;  // the launch
  std::uint64_t started = 0;
  std::uint64_t ended = 0;
  model::device_id device;
  std::uint32_t lane = 0;  // of the plan, of the node's last command
  // Of a loop or branch: graphs that it has run; 0 also where a device decides by itself, and nobody counts.
  std::uint64_t runs = 0;
  // How often the launch has run the node, and what that took in all, of several commands each for itself; 0 where start and
  // end are.
  std::uint64_t rounds = 0;
  std::uint64_t total = 0;
};

// Loops and branches that are added from now on are run by the host, also where a device could by itself, so that the nodes of
// what they run have times.
void keep_loops_with_the_host(graph&);

// `launch` is the event of a launch of an executable graph, `node` of the graph that this was finalized from, or of one that its
// loops and branches run; of those that run it their times together. Where a device decides by itself what it runs, nobody knows
// when it runs the nodes of these graphs. Waits for the launch. Throws model::user_error: invalid if the event is of no launch with
// such times, or the node not of its graph; feature_not_supported for graphs that run in parts on several devices.
[[nodiscard]] node_times times_of(const event& launch, const graph&, model::command_id node);

}  // namespace pianola::runtime
