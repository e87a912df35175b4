// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/topology.hpp>

#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// Bytes that the plan has in use at most, index: memory_id: what it says itself, or else what follows from it.
[[nodiscard]] std::vector<std::uint64_t> peak_memory(const graph_view& graph, const plan& plan,
                                                     const model::topology& machine);

}  // namespace pianola::planner
