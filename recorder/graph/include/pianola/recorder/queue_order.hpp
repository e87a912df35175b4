// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/ids.hpp>

#include "graph.hpp"

namespace pianola::recorder {

// What a queue has recorded into a graph, in all its recordings, and what its next command comes after because of that.
class queue_order {
 public:
  explicit queue_order(bool in_order) : in_order_(in_order) {}

  // The one command that the next one comes after, whatever it is; invalid if there is none.
  [[nodiscard]] model::command_id before_next() const noexcept {
    return in_order_ ? last_ : barrier_;
  }
  // Adds what a command comes after. `closes`: it is a barrier of an out-of-order queue that names no events, and waits
  // for all that the queue has recorded.
  void add_predecessors(const graph& g, bool closes, std::vector<std::uint64_t>& after) const;
  // The command was recorded; `closes` as above. What comes after a barrier waits for it.
  void note(model::command_id id, bool barrier, bool closes);

 private:
  bool in_order_;
  model::command_id last_;
  // Out-of-order queues: everything later waits for it, and what was recorded from it on.
  model::command_id barrier_;
  std::vector<std::uint32_t> since_barrier_;
};

}  // namespace pianola::recorder
