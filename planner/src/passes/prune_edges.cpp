// SPDX-License-Identifier: Apache-2.0
#include "prune_edges.hpp"

#include "schedule/lane_clocks.hpp"

namespace pianola::planner {

namespace {

// All edges lead to steps of earlier windows.
void prune_single(window& window, const planning_state::implementation& state) {
  node& n = window.nodes[0];
  std::uint64_t* const edges = window.edges.data() + n.first_edge;
  auto lane_of = [&](std::uint64_t step) { return state.steps.at(step).lane; };
  std::uint32_t kept = 0;
  if (n.edge_count <= 16) {
    for (std::uint32_t e = 0; e < n.edge_count; ++e) {
      const std::uint32_t lane = lane_of(edges[e]);
      bool implied = lane == n.lane;
      for (std::uint32_t k = 0; k < kept && !implied; ++k) implied = lane_of(edges[k]) == lane;
      if (!implied) edges[kept++] = edges[e];
    }
  } else {
    window.seen.clear();
    window.seen.add(n.lane);
    for (std::uint32_t e = 0; e < n.edge_count; ++e)
      if (window.seen.add(lane_of(edges[e]))) edges[kept++] = edges[e];
  }
  n.edge_count = kept;
}

}  // namespace

void prune_edges(window& window, planning_state& state) {
  if (!window.wanted->prune) return;
  const planning_state::implementation& im = state.internals();
  if (window.nodes.size() == 1) {
    prune_single(window, im);
    return;
  }
  lane_clocks clocks(window, im);
  for (node& n : window.nodes) {
    if (n.edge_count == 0) continue;
    clocks.clear_row(0);  // all lanes have their columns
    if (n.previous != no_step && n.previous >= window.first) clocks.merge(n.previous, {});
    if (n.position > 1) clocks.raise(clocks.before(n));
    std::uint64_t* const edges = window.edges.data() + n.first_edge;
    std::uint32_t kept = 0;
    for (std::uint32_t e = 0; e < n.edge_count; ++e) {
      const std::uint64_t step = edges[e];
      const lane_clocks::place p = clocks.place_of(step);
      if (clocks.reached(p)) continue;
      clocks.merge(step, p);
      edges[kept++] = step;
    }
    n.edge_count = kept;
  }
}

}  // namespace pianola::planner
