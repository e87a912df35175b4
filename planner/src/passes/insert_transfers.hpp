// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Fills window.nodes: every command, and before it the transfers that bring what is outdated where
// the command needs it; advances the validity maps. window.data_edges then hold, for a command, the
// steps that made its data valid where it is, and for a transfer those that made its source valid.
//
// A command that needs old contents needs the whole page range of its elements (a graph launch: just
// the elements that its contract names). Outdated parts are
// fetched from the cheapest memory that has them, so one page range may be gathered from several
// memories; without a direct link they hop over the host's memory, which is valid then, too. Parts
// that nobody ever wrote stay as they are. All needs of a command are met before its writes count.
// Afterwards a write with old contents is valid on its memory alone for the whole page range, a
// no_init write for its elements only: other elements of a page keep their validity, so several
// devices may fill one page together and nothing is lost.
//
// Where window.room says that a memory is too small, buffers leave it by transfers as well (evict_buffers.hpp), and rest
// on the host after the last command. Throws model::user_error: memory_allocation if a single command needs more than
// there is; invalid if a command reads a temporary buffer that nothing has been written to.
void insert_transfers(window& window, planning_state& state);

}  // namespace pianola::planner
