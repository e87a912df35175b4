// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>

#include <pianola/model/allocation.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::planner {

// What files and pictures need to know of a recorded graph. Owns nothing. Made from anything that
// looks like recorder::command_graph, which this component does not know.
class graph_view {
 public:
  using label_function = const char* (*)(const void* owner, model::buffer_id);

  graph_view(model::array_view<const model::command> commands,
             model::array_view<const model::buffer_info> buffers, std::uint64_t hash,
             const void* owner = nullptr, label_function label = nullptr) noexcept
      : commands_(commands), buffers_(buffers), hash_(hash), owner_(owner), label_(label) {}

  // Computes the hash: in proportion to the size of the graph.
  template <class Graph, class = decltype(std::declval<const Graph&>().structural_hash())>
  graph_view(const Graph& graph)
      : graph_view(graph.commands(), graph.buffers(), graph.structural_hash(), &graph,
                   [](const void* owner, model::buffer_id id) {
                     return static_cast<const Graph*>(owner)->buffer_label(id);
                   }) {
    if constexpr (names_allocations<Graph>::value) {
      allocations_ = graph.allocations();
      allocations_of_ = [](const void* owner, model::command_id id) {
        return static_cast<const Graph*>(owner)->allocations_of(id);
      };
      usm_accesses_ = graph.usm_accesses();
      buffer_reads_ = graph.buffer_reads();
      is_unwritten_ = [](const void* owner, model::buffer_id id) {
        return static_cast<const Graph*>(owner)->is_unwritten(id);
      };
    }
  }

  [[nodiscard]] model::array_view<const model::command> commands() const noexcept {
    return commands_;
  }
  [[nodiscard]] model::array_view<const model::buffer_info> buffers() const noexcept {
    return buffers_;
  }
  [[nodiscard]] std::uint64_t structural_hash() const noexcept { return hash_; }
  // The user's name for the buffer; empty if there is none.
  [[nodiscard]] const char* buffer_label(model::buffer_id id) const {
    return label_ == nullptr ? "" : label_(owner_, id);
  }
  [[nodiscard]] model::array_view<const model::usm_allocation> allocations() const noexcept {
    return allocations_;
  }
  // Those that a command works on, as the graph lists them.
  [[nodiscard]] model::array_view<const std::uint32_t> allocations_of(model::command_id id) const {
    if (allocations_of_ == nullptr) return {};
    return allocations_of_(owner_, id);
  }

  // What commands do to allocations, besides what operands say; ascending by command.
  [[nodiscard]] model::array_view<const model::usm_access> usm_accesses() const noexcept {
    return usm_accesses_;
  }
  // What commands read of buffers for certain, besides what operands say; ascending by command.
  [[nodiscard]] model::array_view<const model::buffer_read> buffer_reads() const noexcept {
    return buffer_reads_;
  }
  // Nothing had been written to the buffer before the first command.
  [[nodiscard]] bool is_unwritten(model::buffer_id id) const {
    return buffers_[id.value()].temporary ||
           (is_unwritten_ != nullptr && is_unwritten_(owner_, id));
  }

 private:
  template <class Graph, class = void>
  struct names_allocations : std::false_type {};
  template <class Graph>
  struct names_allocations<Graph, std::void_t<decltype(std::declval<const Graph&>().allocations_of(
                                      model::command_id()))>> : std::true_type {};

  model::array_view<const model::command> commands_;
  model::array_view<const model::buffer_info> buffers_;
  std::uint64_t hash_;
  const void* owner_;
  label_function label_;
  model::array_view<const model::usm_allocation> allocations_;
  model::array_view<const std::uint32_t> (*allocations_of_)(const void* owner,
                                                            model::command_id) = nullptr;
  model::array_view<const model::usm_access> usm_accesses_;
  model::array_view<const model::buffer_read> buffer_reads_;
  bool (*is_unwritten_)(const void* owner, model::buffer_id) = nullptr;
};

}  // namespace pianola::planner
