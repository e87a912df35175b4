// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::planner {

// The order of the commands of a recorded graph: pairs (earlier, later) of explicit edges and of
// conflicting accesses, as planning derives them, wherever the commands are placed. Sorted.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> command_edges(
    model::array_view<const model::command> commands,
    model::array_view<const model::buffer_info> buffers);

}  // namespace pianola::planner
