// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>

namespace pianola::planner {

// Memory that a recorded graph owns: from one of its commands to another.
struct storage_request {
  static constexpr std::uint32_t never = 0xffffffffU;
  std::uint64_t bytes = 0;
  std::uint32_t born = 0;      // the command from which on it is there
  std::uint32_t died = never;  // the command after which nobody uses it
};

struct storage_layout {
  std::vector<std::uint64_t> offsets;  // index: request; multiples of the alignment
  std::uint64_t bytes = 0;             // of one allocation that holds them all
};

// Places all requests in one allocation. Two share bytes only if one has died before the other is born in whatever
// order commands may run that `edges` allow. Edges are pairs (earlier, later) of numbers of commands, sorted, and
// always point from a smaller number to a larger one (command_edges).
[[nodiscard]] storage_layout share_storage(
    model::array_view<const storage_request> requests,
    model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges,
    std::uint64_t alignment = 256);

}  // namespace pianola::planner
