// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::planner {

// A recorded graph of which some kernels are cut into parts. Its commands refer to what those of the graph that it was
// made of refer to, and to `storage`.
struct split_graph {
  std::vector<model::command> commands;
  std::vector<std::uint32_t> part_of;       // index: command; of the graph that it was made of
  std::vector<model::buffer_info> buffers;  // with pages that follow the parts
  std::shared_ptr<const void> storage;
  std::uint32_t kernels = 0;  // so many were cut
};

}  // namespace pianola::planner
