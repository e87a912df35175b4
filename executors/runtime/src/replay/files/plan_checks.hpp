// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::runtime {

// Whether the devices of this machine can do what a plan from a file has them do: run the kernels, reach the memories, have
// so many lanes. Why not, as a part of a sentence; nothing if they can. Every id is known, and each step has a lane;
// planner::verify knows what is right, wherever it runs.
[[nodiscard]] std::optional<std::string> cannot_run(
    const planner::plan& plan, model::array_view<const model::command> commands,
    const model::topology& topology);

}  // namespace pianola::runtime
