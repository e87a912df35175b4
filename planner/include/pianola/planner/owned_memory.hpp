// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>

namespace pianola::planner {

struct memory_misuse {
  std::uint32_t command = 0;
  std::string what;  // a sentence without its subject and its end: "copies memory that ..."
  // False: bytes of a kernel's arguments look like a pointer into the memory, which may be chance.
  bool certain = true;
};

// Uses of memory that a graph allocates (allocate_command) which are not ordered between the allocation and the command
// that frees it, in the order of the commands. Edges are those of command_edges: sorted, from smaller numbers to larger
// ones. What kernels do with pointers that they find in memory cannot be seen.
[[nodiscard]] std::vector<memory_misuse> misuses_of_owned_memory(
    model::array_view<const model::command> commands,
    model::array_view<const std::pair<std::uint32_t, std::uint32_t>> edges);

}  // namespace pianola::planner
