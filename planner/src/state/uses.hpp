// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "window.hpp"

namespace pianola::planner {

inline model::memory_id memory_of(const placement& place, const model::requirement& r) noexcept {
  return r.memory.valid() ? r.memory : place.memory;
}

// Calls f(buffer, memory) for all storage that the node works on.
template <class F>
void for_each_use(const window& w, const node& n, F&& f) {
  if (n.transfer) {
    const pending_transfer& t = w.transfers[n.index];
    f(t.buffer, t.from);
    f(t.buffer, t.to);
    return;
  }
  for (const model::requirement& r : w.commands[n.index].requirements)
    f(r.buffer, memory_of(w.places[n.index], r));
}

}  // namespace pianola::planner
