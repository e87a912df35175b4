// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <boost/dynamic_bitset.hpp>

namespace pianola::planner {

// Keeps the edges of a picture that no others imply. Nodes are added in a topological order; cost
// and storage grow with the square of their number, which suits what a picture can show.
class edge_reducer {
 public:
  explicit edge_reducer(std::size_t nodes) : nodes_(nodes) {}

  // Predecessors of the next node, in ascending order: those that the others do not imply.
  std::vector<std::size_t> add_node(const std::vector<std::size_t>& predecessors) {
    boost::dynamic_bitset<> before(nodes_);
    std::vector<std::size_t> kept;
    for (auto p = predecessors.rbegin(); p != predecessors.rend(); ++p) {
      if (before[*p]) continue;
      kept.push_back(*p);
      before.set(*p);
      before |= before_[*p];
    }
    before_.push_back(std::move(before));
    return {kept.rbegin(), kept.rend()};
  }

 private:
  std::size_t nodes_;
  std::vector<boost::dynamic_bitset<>> before_;
};

}  // namespace pianola::planner
