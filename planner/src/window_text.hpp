// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "pianola/planner/graph_view.hpp"
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// In their order: what a window holds follows from which came last. The last two are of the plan that was made of it.
enum class pass {
  place_commands,
  order_commands,
  choose_entry,
  insert_transfers,
  coalesce_transfers,
  order_slots,
  derive_dependencies,
  order_steps,
  assign_lanes,
  share_slots,
  prune_edges,
  summarise,
  measure_memory,
};
[[nodiscard]] const char* name_of(pass) noexcept;

// What the window holds after the pass: where commands run and in which order, then the steps that they become, with
// transfers, with what each comes after, and with lanes; and where buffers are that share room. `graph`: its commands, and the buffers of the state.
[[nodiscard]] std::string window_text(const window& window, const planning_state& state, pass last,
                                      const graph_view& graph, std::size_t maximum);

}  // namespace pianola::planner
