// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "place/problem.hpp"

namespace pianola::planner::place {

inline constexpr std::uint32_t undecided = 0xffffffffU;

// What no placement can go below. Whatever a command is placed on, weighted with shares of devices that add up to one, its
// time is at least the least of its weighted times; and the sum of these is at most what the busiest device takes.
class bound {
 public:
  explicit bound(const problem& p);

  // `fixed[i]` is the choice of command i, or `undecided`. The longest of: the way through the graph, each command on its
  // fastest device, with the transfers that are certain; the work of one device; the weighted work.
  [[nodiscard]] double least_seconds(const placing_of_all& fixed) const;
  [[nodiscard]] double least_seconds() const;

 private:
  // So many bytes, made in one memory alone, are in the other no sooner: over all links to it at once, as parts of them may
  // have been copied elsewhere meanwhile.
  [[nodiscard]] double soonest(std::size_t from, std::size_t to, std::uint64_t bytes) const;

  const problem& problem_;
  std::vector<double> shares_;          // index: device
  std::vector<double> bandwidth_into_;  // index: memory
};

}  // namespace pianola::planner::place
