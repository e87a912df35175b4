// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/queue_order.hpp"

namespace pianola::recorder {

void queue_order::add_predecessors(const graph& g, bool closes,
                                   std::vector<std::uint64_t>& after) const {
  if (closes) {
    // Only leaves: the others come before these.
    const std::vector<std::uint64_t> open = g.leaves_among(since_barrier_);
    after.insert(after.end(), open.begin(), open.end());
  } else if (before_next().valid()) {
    after.push_back(before_next().value());
  }
}

void queue_order::note(model::command_id id, bool barrier, bool closes) {
  last_ = id;
  if (in_order_) return;
  if (closes) since_barrier_.clear();
  if (barrier) barrier_ = id;
  since_barrier_.push_back(id.value());
}

}  // namespace pianola::recorder
