// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Gives every node a lane of its device and a position in it: few lanes, no false order. In turn:
// the lane that the command asks for; the lane of the latest dependency that is still the last step
// of its lane (nothing else runs in between); a lane whose last step is finished or is known to come
// before this one; a new lane while the device may have more; the lane whose last step is oldest.
// Transfers keep to lanes of their own where the device may have two or more, so that they overlap
// with computing.
//
// An access by the host ends when the user's program says so, and until then it may wait for any step
// that does not need the access. So no such step may stand in a lane behind one that does: steps that
// come after an unfinished access never take the last lane without one, and other steps never join a
// lane with one. Where a device is short of lanes for that, it gets one more than its maximum.
//
// In a window of several steps "known to come before" is exact among the window's steps and leaves
// the clocks for prune_edges in window.clocks; in a window of one only what is cheap to see counts.
void assign_lanes(window& window, planning_state& state);

}  // namespace pianola::planner
