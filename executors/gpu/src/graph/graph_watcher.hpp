// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::gpu {

class gpu_graph;

// Asks how far the signals of a graph's launches have come, until all are known to have been reached: the lane that it was
// launched in.
class graph_watcher {
 public:
  // The graph goes away; no launch of it is under way.
  virtual void forget(gpu_graph&) noexcept = 0;

 protected:
  ~graph_watcher() = default;
};

}  // namespace pianola::gpu
