// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pianola::planner {

// A set of small numbers, as bits.
class bit_set {
 public:
  explicit bit_set(std::size_t size) : words_((size + 63) / 64) {}
  [[nodiscard]] bool holds(std::size_t i) const { return (words_[i / 64] >> i % 64 & 1U) != 0; }
  void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void add(const bit_set& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Keeps the edges of a picture that no others imply. Nodes are added in a topological order; cost
// and storage grow with the square of their number, which suits what a picture can show.
class edge_reducer {
 public:
  explicit edge_reducer(std::size_t nodes) : nodes_(nodes) {}

  // Predecessors of the next node, in ascending order: those that the others do not imply.
  std::vector<std::size_t> add_node(const std::vector<std::size_t>& predecessors) {
    bit_set before(nodes_);
    std::vector<std::size_t> kept;
    for (auto p = predecessors.rbegin(); p != predecessors.rend(); ++p) {
      if (before.holds(*p)) continue;
      kept.push_back(*p);
      before.add(*p);
      before.add(before_[*p]);
    }
    before_.push_back(std::move(before));
    return {kept.rbegin(), kept.rend()};
  }

 private:
  std::size_t nodes_;
  std::vector<bit_set> before_;
};

}  // namespace pianola::planner
