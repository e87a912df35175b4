// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/topology.hpp>

namespace pianola::planner {

// What the links of a machine move data over: links of one bus share a line, every other one has its own.
struct link_lines {
  explicit link_lines(const model::topology& machine);

  std::vector<std::uint32_t> of_link;  // index: link
  std::uint32_t count = 0;
};

}  // namespace pianola::planner
