// SPDX-License-Identifier: Apache-2.0
// What is different about commands of graphs that updates put in each other's place.
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/command.hpp>

#include "replay/executable/command_exchange.hpp"
#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

// Where the commands' counterparts are; nothing if all of them are at the same place. Throws user_error (invalid) if the
// graphs have other nodes or edges.
[[nodiscard]] std::vector<std::uint32_t> counterparts(const std::vector<model::command>& now,
                                                      const std::vector<model::command>& next);
// Whether a plan for `now` holds for `next`, too, which is of the same kind and follows the same commands.
[[nodiscard]] bool plan_holds(const model::command& now, const model::command& next);
// Of two commands that the plan holds for: whether a native graph has to be told.
[[nodiscard]] bool works_otherwise(const model::command& now, const model::command& next);
// Whether it is a part of a kernel that runs on several devices.
[[nodiscard]] bool is_part(const model::command& c);

// Says what the command of the graph `from` touches, as follows from its arguments and its index space.
void describe(node_change& change, const graph_snapshot& from);
// Whether what it calls buffers in `from` they are called in `to`.
[[nodiscard]] bool has_same_names(const node_change& change, const graph_snapshot& from,
                                  const graph_snapshot& to) noexcept;
// Has it name buffers, as it does in `from`, as `next` does, which gets those that are new.
void translate(node_change& change, const graph_snapshot& from, graph_snapshot& next);

}  // namespace pianola::runtime
