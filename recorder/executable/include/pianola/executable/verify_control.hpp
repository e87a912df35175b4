// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/planner/plan.hpp>

#include "file.hpp"

namespace pianola::executable {

// Whether a loop or branch may run the graphs that a file has for it: each begins where it has ended, and the command
// requires what they need, in `memory` of the graph's device where they leave the choice. `plans`: theirs. The reason
// otherwise. Whether each plan is right planner::verify says.
[[nodiscard]] std::optional<std::string> wrong_control(
    const model::command& command, const control<std::shared_ptr<file>>& saved,
    model::array_view<const planner::plan* const> plans, model::memory_id memory);

}  // namespace pianola::executable
