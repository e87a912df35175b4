// SPDX-License-Identifier: Apache-2.0
// What can be asked of a graph and its plan, and the answer in words or for programs.
#pragma once
#include <cstddef>
#include <string>
#include <variant>

#include <pianola/model/ids.hpp>
#include <pianola/planner/explain/explain.hpp>

namespace pianola::tool {

// The second waits for the first.
struct asked_edge {
  model::command_id from, to;
};
// Nothing: what can be asked for. An edge, a transfer by its step, or a command.
using question = std::variant<std::monostate, asked_edge, model::step_id, model::command_id>;

// These throw model::user_error (invalid) if there is no such thing. `limit`: entries of each kind at most; 0: all.
[[nodiscard]] std::string explained_text(const question& asked, const planner::explainer& of,
                                         std::size_t limit);
[[nodiscard]] std::string explained_json(const question& asked, const planner::explainer& of);

}  // namespace pianola::tool
