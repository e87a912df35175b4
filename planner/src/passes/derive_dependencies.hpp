// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Fills window.edges: for every node the steps that must come first, latest first, each once. For a
// command these are the last writer of each page it accesses, all who have read the page since if it
// writes, the steps that made its data valid (insert_transfers), and command::after. Steps that are
// finished are left out. Advances the access histories.
//
// Transfers are not in the histories, and need not be. A transfer T of elements B from s to m was
// inserted for a command C that reads the pages of B.
//  - Who later overwrites B on s, or on m, or outdates it, conflicts with C and so comes after C,
//    which comes after T. (A page-wise history: any write to B's pages conflicts with C's read.)
//  - Who used the outdated B on m before T: B is outdated there because of a later write W elsewhere,
//    which conflicted with those users and came after them; T comes after the step that made B valid
//    on s, which is W or follows from W. The same holds for a transfer away from m: its consumer
//    conflicted with W.
//  - Who later uses B on m, a command or another transfer, waits for T as the producer of its data.
//  - Two hops are two such transfers with the same C. A transfer that was merged with others waits
//    for the producers of all, and every consumer waits for it, so each argument holds for each part.
//  - Elements of the same pages outside of B are not touched by T.
void derive_dependencies(window& window, planning_state& state);

}  // namespace pianola::planner
