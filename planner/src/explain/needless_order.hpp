// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <pianola/model/allocation.hpp>

#include "pianola/planner/explain/change.hpp"
#include "pianola/planner/graph_view.hpp"

namespace pianola::planner {

// Order that a program asks for (events, queues in order) and that no access needs: between kernels, copies and fills that
// touch no page and no byte in common, unless both only read it. Of a kernel of which it is not known what it does to
// memory that it points to, all of that counts; what else commands do counts as everything, and so do kernels that name
// nothing, and all of a graph whose commands allocate memory, as that has no names. What kernels find by themselves
// (variables of devices, pointers in memory, memory of the system) nobody sees here.
class needless_order {
 public:
  using edge_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  // `edges`: all of the graph's, sorted. Both must outlive this.
  needless_order(const graph_view& graph, const edge_list& edges);

  // Pairs with an edge that the program asks for and nothing needs; by the second, then by the first.
  [[nodiscard]] const std::vector<std::pair<model::command_id, model::command_id>>& pairs()
      const noexcept {
    return pairs_;
  }
  // Without the order of these pairs, some of them in their order; all other pairs that were in order stay so. None:
  // too many edges would stand for one of them.
  [[nodiscard]] std::optional<order_change> without(
      const std::vector<std::pair<model::command_id, model::command_id>>& some) const;
  // With no order but what accesses need. None: there is no other, or it takes too long to find out.
  [[nodiscard]] std::optional<order_change> only_needed() const;

 private:
  [[nodiscard]] bool pages_conflict(const model::command& a, const model::command& b) const;
  [[nodiscard]] bool bytes_conflict(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool is_opaque(std::uint32_t command) const noexcept { return opaque_[command]; }
  [[nodiscard]] model::array_view<const std::uint32_t> before(std::uint32_t c) const noexcept {
    return {before_.data() + first_before_[c], first_before_[c + 1] - first_before_[c]};
  }
  [[nodiscard]] model::array_view<const std::pair<std::uint32_t, std::uint32_t>> behind(
      std::uint32_t c) const noexcept;

  const graph_view& graph_;
  const edge_list& edges_;
  std::vector<std::uint32_t> before_;        // by command, ascending; where there are pairs
  std::vector<std::size_t> first_before_;    // index: command
  std::vector<model::usm_access> accesses_;  // of all kinds, by command
  std::vector<std::size_t> first_access_;    // index: command
  std::vector<bool> opaque_;                 // index: command
  mutable std::size_t comparisons_ = 0;
  std::vector<std::pair<model::command_id, model::command_id>> pairs_;
};

}  // namespace pianola::planner
