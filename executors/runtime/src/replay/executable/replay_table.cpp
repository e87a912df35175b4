// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/replay_table.hpp"

#include <utility>

#include "data/failure_registry.hpp"
#include "process.hpp"
#include "replay/executable/graph_instance.hpp"
#include "replay/executable/graph_replays.hpp"

namespace pianola::runtime {

void replay_table::rebind(process& rt, model::buffer_id live) {
  // Until all have been told, however that ends.
  const bool was_any = std::exchange(any_stale_, true);
  bool all = true;
  for (graph_instance* g : graphs_) all = g->rebind(rt, live) && all;
  if (all) any_stale_ = was_any;
}

void replay_table::settle_last(process& rt) {
  graph_replays* const replays = std::exchange(last_, nullptr);
  try {
    replays->settle(rt);
  } catch (...) {
    last_ = replays;
    throw;
  }
  rt.failures.replays_disturbed = false;
}

}  // namespace pianola::runtime
