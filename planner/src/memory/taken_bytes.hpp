// SPDX-License-Identifier: Apache-2.0
// Which bytes are taken when.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/icl/interval_set.hpp>

namespace pianola::planner {

// Bytes; those next to each other are one range, however many they belong to.
using byte_ranges =
    boost::icl::interval_set<std::uint64_t, std::less,
                             boost::icl::right_open_interval<std::uint64_t, std::less>>;

// Along a line of so many points in time, a segment tree: what a request costs follows from the logarithm of the points
// and from the gaps between the bytes that are taken, not from how many have taken them.
class taken_bytes {
 public:
  explicit taken_bytes(std::uint32_t points);

  // From the point `first` to the point `last`, with both.
  void take(std::uint32_t first, std::uint32_t last, std::uint64_t from, std::uint64_t to);
  // Adds sets which together are what is taken at any of these points.
  void find(std::uint32_t first, std::uint32_t last, std::vector<const byte_ranges*>& out) const;

 private:
  // A node is for the points of all leaves below it.
  struct node {
    byte_ranges
        throughout;  // taken by requests at all of its points, and not at all of its parent's
    byte_ranges
        ever;  // at any of its points, by requests that are not there at all of its parent's
  };
  template <class Tree, class Part, class Whole>
  static void walk(Tree& nodes, std::size_t at, std::uint32_t from, std::uint32_t to,
                   std::uint32_t first, std::uint32_t last, const Part& part, const Whole& whole);

  std::uint32_t points_;
  std::vector<node> nodes_;
};

// The lowest place of so many bytes that lies in none of the sets. Adds to `looked_at` the ranges that were looked at.
[[nodiscard]] std::uint64_t lowest_gap(const std::vector<const byte_ranges*>& taken,
                                       std::uint64_t bytes, std::uint64_t& looked_at);

}  // namespace pianola::planner
