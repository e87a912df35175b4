// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>

#include "command_graph.hpp"

namespace pianola::recorder {

// Earlier and later command, by their numbers.
using command_edge = std::pair<std::uint32_t, std::uint32_t>;

// Explicit edges of commands and those that follow from what they do with buffers. The planner decides what follows.
using edge_derivation = std::vector<command_edge> (*)(model::array_view<const model::command>,
                                                      model::array_view<const model::buffer_info>);

// The numbers below `count` in an order that all edges agree with, of those that may come next the smallest first. Fewer
// where the edges close a cycle.
[[nodiscard]] std::vector<std::uint32_t> in_order(std::uint32_t count,
                                                  const std::vector<command_edge>& edges);

// The order of the commands of a graph. Edges along the order of recording are the commands' own; this keeps those
// against it.
class graph_edges {
 public:
  explicit graph_edges(edge_derivation derive) : derive_(derive) {}

  // Throws model::user_error (invalid) if the edge would close a cycle, unless nobody is to look for one: be it for all
  // edges of a graph or for none.
  void add(command_graph& commands, model::command_id from, model::command_id to,
           bool look_for_cycle = true);
  // Whether the edges alone, without those that follow from buffers, close a cycle.
  [[nodiscard]] bool close_cycle(const command_graph& commands) const;

  // All of them, with those that follow from buffers.
  [[nodiscard]] std::vector<command_edge> all(const command_graph& commands) const;
  [[nodiscard]] const std::vector<command_edge>& backward() const noexcept { return backward_; }
  [[nodiscard]] std::vector<char> ancestors(const command_graph& commands,
                                            const std::vector<std::uint32_t>& of) const;
  [[nodiscard]] std::vector<std::uint64_t> leaves_among(
      const command_graph& commands, const std::vector<std::uint32_t>& which) const;

  // How many commands were looked at to find cycles.
  [[nodiscard]] std::uint64_t looked_at() const noexcept { return looked_at_; }

 private:
  template <class F>
  void for_each_predecessor(const command_graph& commands, std::uint32_t of, F&& f) const;
  // Changes the kept order so that `earlier` comes before `later`. False, with nothing changed, if that cannot be.
  bool put_before(const command_graph& commands, std::uint32_t earlier, std::uint32_t later);

  edge_derivation derive_;
  std::vector<command_edge> backward_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> backward_into_;  // by command
  // An order of the commands that no edge contradicts, and where each is in it. Newer commands than were there when it was
  // changed last come behind these.
  std::vector<std::uint32_t> order_, place_;
  std::uint64_t looked_at_ = 0;
};

}  // namespace pianola::recorder
