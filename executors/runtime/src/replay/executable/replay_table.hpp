// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include <pianola/model/ids.hpp>

namespace pianola::runtime {

class graph_instance;
class graph_replays;
class process;

// The instances of executable graphs of the process. Expects the runtime's lock to be held.
//
// Settled replays: if the last thing planned was a replay of the same graph, nothing can have changed, and further replays
// are planned without a look at their buffers. The live state has not seen them: whatever comes next settles them first.
class replay_table {
 public:
  void add(graph_instance& g) { graphs_.push_back(&g); }
  void remove(graph_instance& g) noexcept {
    graphs_.erase(std::remove(graphs_.begin(), graphs_.end(), &g), graphs_.end());
  }
  // Storage of a buffer has moved, or is lost: tells every instance that uses it.
  void rebind(process&, model::buffer_id live);
  // There may be instances that could not be told.
  [[nodiscard]] bool any_stale() const noexcept { return any_stale_; }

  // One of these replays has been planned.
  void note(graph_replays& g) noexcept { last_ = &g; }
  // These were the last things planned.
  [[nodiscard]] bool were_last(const graph_replays& g) const noexcept { return last_ == &g; }
  // Brings the live state up to date after replays that were planned without a look at buffers.
  void settle(process& rt) {
    if (last_ != nullptr) settle_last(rt);
  }

 private:
  void settle_last(process&);

  std::vector<graph_instance*> graphs_;
  graph_replays* last_ = nullptr;
  bool any_stale_ = false;
};

}  // namespace pianola::runtime
