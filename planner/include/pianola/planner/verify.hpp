// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "plan.hpp"

namespace pianola::planner {

struct violation {
  model::step_id step;  // invalid: the plan as a whole
  std::string reason;   // what is wrong, with command, buffer and box
};

// Independent check of a plan against its commands, slow and obvious: it shares no code with the
// passes. Replays the plan page by page (element by element where accesses are partial) against
// last-writer semantics and reports the first violation: a command missing or run twice, a wait that
// points forward, conflicting steps that are not ordered, a step that reads data that is not there,
// a transfer from a memory that does not hold the current data, a contract or exit state that is not
// what the steps need or leave, a page moved twice to the same memory without a write in between, memory that is
// allocated while another allocation has it, a loop or branch whose condition the host does not find, a
// kernel that does not find the range that it reads.
[[nodiscard]] std::optional<violation> verify(model::array_view<const model::command> commands,
                                              model::array_view<const model::buffer_info> buffers,
                                              const model::topology& topology, const plan& plan);

struct split_graph;

// Independent check that a graph in parts does what the whole one does: every work-item is run once, each part comes after all that
// the command came after and needs all that its work-items touch, and no part touches what another one writes. Goes through
// work-items and what the kernels' footprints say of each, and shares no code with what cuts; of
// graphs with more than some ten million accesses only some work-items are looked at.
[[nodiscard]] std::optional<violation> verify_parts(
    model::array_view<const model::command> whole,
    model::array_view<const model::buffer_info> buffers, const split_graph& parts);

}  // namespace pianola::planner
