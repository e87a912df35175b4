// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "pianola/planner/graph_view.hpp"

namespace pianola::planner::checking {

// What comes before what: edges that the program asked for, and those that follow from buffers.
class command_order {
 public:
  explicit command_order(const graph_view& graph);

  [[nodiscard]] bool has_edge(std::uint32_t from, std::uint32_t to) const noexcept;
  // Of pairs (earlier, later), by submission, whether a path leads from one to the other.
  [[nodiscard]] std::vector<bool> ordered(
      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) const;

 private:
  std::vector<std::uint32_t> first_;   // index: command; of before_
  std::vector<std::uint32_t> before_;  // of each command what it directly comes after, ascending
};

}  // namespace pianola::planner::checking
