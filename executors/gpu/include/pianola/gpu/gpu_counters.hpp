// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace pianola::gpu {

// What a backend has done since it was made. For tests and for people who wonder why something takes long.
struct gpu_counters {
  std::uint64_t issued = 0;    // steps given to the driver by the thread that submitted them
  std::uint64_t deferred = 0;  // steps that had to wait for something the driver does not know of
  std::uint64_t launches = 0;  // of native graphs
  std::uint64_t stepwise = 0;  // graphs run step by step instead
  std::uint64_t markers = 0;   // completion events recorded
  std::uint64_t events_made = 0;     // events asked of the driver; what is not in use is used again
  std::uint64_t modules_loaded = 0;  // images given to the driver
  std::uint64_t instantiations = 0;  // of native graphs, updates apart
  std::uint64_t node_updates = 0;    // nodes of an executable graph that got other parameters
  std::uint64_t graph_updates = 0;   // executable graphs that took over everything from their graph
  std::uint64_t reinstantiations = 0;  // updates that the driver could not express
  std::uint64_t event_nodes = 0;       // nodes by which graphs wait for each other
  // Kernels that offer to start before those in front of them have finished: given to the driver so, in graphs when
  // they are built; and those that wait all the same, because device, image, driver or graph does not allow it.
  std::uint64_t overlapping = 0;
  std::uint64_t not_overlapping = 0;
  std::uint64_t conditional_nodes = 0;  // loops and branches in native graphs, when they are built
};

}  // namespace pianola::gpu
