// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/planner/schedule/strands.hpp>

#include "pianola/host/host_graph.hpp"

namespace pianola::host {

// When steps that follow each other part by part go piece by piece: each does a piece of its part before the next
// piece is begun, so that the second finds in the caches what the first has left there.
struct piece_limits {
  std::uint64_t bytes_that_stay = 24 << 10;  // in a core's cache anyway: no pieces
  std::uint64_t piece_bytes = 16 << 10;      // of everything that the steps touch
  double piece_nanoseconds = planner::team_costs().piece;

  static piece_limits of_this_machine();
};

// A static assignment of the steps (and of parts of large ones) to strands, and what of it goes piece by
// piece. Built once, run many times.
class graph_schedule {
 public:
  // By the planner's list scheduling onto `threads` strands, with the costs known so far.
  static graph_schedule parallel(const std::vector<graph_node>& nodes,
                                 const std::vector<std::uint32_t>& waits, unsigned threads,
                                 const piece_limits& limits = piece_limits::of_this_machine());

  using item = planner::strand_item;
  using strand_wait = planner::strand_wait;
  [[nodiscard]] const std::vector<std::vector<item>>& strands() const noexcept { return strands_; }
  [[nodiscard]] const std::vector<strand_wait>& waits() const noexcept { return waits_; }
  // Whether a wait was left out because of what arguments point to.
  [[nodiscard]] bool relies_on_arguments() const noexcept { return relies_on_arguments_; }
  // Whether some items go piece by piece.
  [[nodiscard]] bool has_pieces() const noexcept { return has_pieces_; }

 private:
  std::vector<std::vector<item>> strands_;
  std::vector<strand_wait> waits_;
  bool relies_on_arguments_ = false;
  bool has_pieces_ = false;
};

}  // namespace pianola::host
