// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>

#include "options.hpp"
#include "plan.hpp"
#include "planning_state.hpp"

namespace pianola::planner {

// Plans the commands against `state` and advances it: THE list of passes (make_plan.cpp), the same
// for eager mode (a window of one against the live state) and for recorded graphs. `out` is cleared
// and its storage reused: planning a window of one allocates nothing once warm.
// Ids in command::after are step ids of `state`; with `after_is_window_relative` they are indices
// into `commands`.
// Throws model::user_error (invalid) for a device or buffer that is not known.
void plan_window(model::array_view<const model::command> commands, planning_state& state,
                 const model::topology& topology, const options& options,
                 bool after_is_window_relative, plan& out);

// Plans a recorded graph on its own: chooses the entry state as the fixed point of "body after body",
// so that a replay that follows a replay transfers nothing but what the body itself moves; fills
// contract, exit, accesses and lanes.
[[nodiscard]] plan make_plan(model::array_view<const model::command> commands,
                             model::array_view<const model::buffer_info> buffers,
                             const model::topology& topology, const options& options = {});

// A replay planned into the live state is one command (model::subgraph_command) whose requirements
// are: for each contract entry and memory one `read` with requirement::memory set (planning brings
// missing pages there: the prologue), and for each written access one `write` with no_init set
// (order only). Afterwards the exit state is applied with this. `buffers` maps the plan's buffer ids
// to the state's; `since` is the replay's step.
void apply_exit_state(const plan& recorded, model::array_view<const model::buffer_id> buffers,
                      planning_state& state, model::step_id since);

}  // namespace pianola::planner
