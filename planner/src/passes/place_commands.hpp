// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Fills window.places: the device that each command runs on and the memory it works on. The queue decides
// (command::device), except where options.place says otherwise and the command has candidates: those of a recorded
// graph are placed together (window.chosen, by choose_placement), which also gives window.planned_order; others where
// each would end first (end_on). Work of the host runs beside the host's memory. As it is the first pass, it also
// checks that everything a command names exists: model::user_error (invalid) if not, with nothing changed.
void place_commands(window& window, planning_state& state);

}  // namespace pianola::planner
