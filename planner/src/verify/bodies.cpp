// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "checker.hpp"
#include "pianola/planner/verify_bodies.hpp"

namespace pianola::planner {

namespace {

using model::box;
using model::memory_id;
using model::requirement;
using verification::name;

// What is left of some boxes when others are taken away.
class rest_of {
 public:
  explicit rest_of(const box& all) { add(all); }
  rest_of() = default;
  void add(const box& b) {
    if (!b.empty()) boxes_.push_back(b);
  }
  void take_away(const box& taken) {
    std::vector<box> left;
    for (const box& b : boxes_) {
      const box common = intersection(b, taken);
      if (common.empty())
        left.push_back(b);
      else
        for_each_difference(b, common, [&](const box& piece) { left.push_back(piece); });
    }
    boxes_ = std::move(left);
  }
  [[nodiscard]] bool empty() const { return boxes_.empty(); }
  [[nodiscard]] const box& first() const { return boxes_.front(); }

 private:
  std::vector<box> boxes_;
};

bool holds(const model::memory_set& all, memory_id m) { return m.valid() && all.contains(m); }

class control_check {
 public:
  control_check(const model::command& command, const model::topology& machine,
                const graph_of_command* first, const graph_of_command* last)
      : command_(command),
        what_(std::get<model::subgraph_command>(command.payload)),
        machine_(machine),
        first_(first),
        last_(last) {}

  [[nodiscard]] std::optional<std::string> wrong() const {
    for (const graph_of_command* g = first_; g != last_; ++g) {
      if (auto reason = wrong_names(*g)) return reason;
      if (what_.control == model::control_kind::repeat && what_.count == 0) continue;  // never
      if (auto reason = wrong_iterations(*g)) return reason;
      if (auto reason = wrong_needs(*g)) return reason;
      if (auto reason = wrong_writes(*g)) return reason;
    }
    return wrong_claims();
  }

 private:
  [[nodiscard]] bool is_loop() const { return what_.control == model::control_kind::loop; }
  [[nodiscard]] bool runs_again() const {
    return is_loop() || (what_.control == model::control_kind::repeat && what_.count > 1);
  }
  [[nodiscard]] bool runs_always() const {
    return what_.control == model::control_kind::repeat && what_.count != 0;
  }
  [[nodiscard]] memory_id memory_of(const requirement& r) const {
    if (r.memory.valid() || !command_.device.valid()) return r.memory;
    return machine_.devices[command_.device.value()].memory;
  }
  [[nodiscard]] static bool reads_contents(const requirement& r) {
    return model::reads(r.mode) || !r.no_init;
  }
  [[nodiscard]] std::string place(const graph_of_command& g) const {
    return first_ + 1 == last_ ? "the graph that it runs"
                               : fmt::format("graph {} of those that it runs", &g - first_);
  }

  [[nodiscard]] std::optional<std::string> wrong_names(const graph_of_command& g) const {
    if (g.buffers.size() == g.graph.buffers().size()) return std::nullopt;
    return fmt::format("{} has {} buffers, and names for {}", place(g), g.graph.buffers().size(),
                       g.buffers.size());
  }

  // The next iteration begins where this one ends.
  [[nodiscard]] std::optional<std::string> wrong_iterations(const graph_of_command& g) const {
    if (!runs_again()) return std::nullopt;
    for (const validity_entry& needed : g.how->contract)
      for (const validity_entry& left : g.how->exit)
        if (left.buffer == needed.buffer && overlap(left.elements, needed.elements) &&
            !left.memories.contains(needed.memories))
          return fmt::format(
              "an iteration leaves {} {} in other memories than those where the next one needs it",
              name(g.buffers[needed.buffer.value()]),
              verification::text(intersection(left.elements, needed.elements)));
    if (!is_loop() || what_.condition == model::memory_operand::no_requirement) return std::nullopt;
    const requirement& condition = command_.requirements[what_.condition];
    for (const validity_entry& left : g.how->exit)
      if (g.buffers[left.buffer.value()] == condition.buffer &&
          overlap(left.elements, condition.elements) && !holds(left.memories, memory_of(condition)))
        return fmt::format("an iteration leaves the condition, in {}, elsewhere than in {}",
                           name(condition.buffer), name(memory_of(condition)));
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> wrong_needs(const graph_of_command& g) const {
    std::optional<std::string> wrong;
    for (const validity_entry& needed : g.how->contract)
      needed.memories.for_each([&](memory_id memory) {
        if (wrong.has_value()) return;
        rest_of rest(needed.elements);
        const model::buffer_id buffer = g.buffers[needed.buffer.value()];
        take_away_read(rest, buffer, memory);
        if (!rest.empty())
          wrong =
              fmt::format("{} needs {} {} in {}, and the command does not require that", place(g),
                          name(buffer), verification::text(rest.first()), name(memory));
      });
    return wrong;
  }
  void take_away_read(rest_of& rest, model::buffer_id buffer, memory_id memory) const {
    for (const requirement& r : command_.requirements)
      if (r.buffer == buffer && memory_of(r) == memory && reads_contents(r))
        rest.take_away(r.elements);
  }

  // By what its commands say, not by what the plan says of itself.
  [[nodiscard]] std::optional<std::string> wrong_writes(const graph_of_command& g) const {
    for (const model::command& c : g.graph.commands())
      for (const requirement& w : c.requirements) {
        if (!model::writes(w.mode)) continue;
        const model::buffer_id buffer = g.buffers[w.buffer.value()];
        rest_of rest(w.elements);
        for (const requirement& r : command_.requirements) {
          if (r.buffer != buffer || !model::writes(r.mode)) continue;
          rest.take_away(r.elements);
          const box common = intersection(r.elements, w.elements);
          for (const validity_entry& left : g.how->exit)
            if (left.buffer == w.buffer && overlap(left.elements, common) &&
                !holds(left.memories, memory_of(r)))
              return fmt::format(
                  "{} leaves {} {} elsewhere than in {}, where the command says that "
                  "it writes it",
                  place(g), name(buffer), verification::text(intersection(left.elements, common)),
                  name(memory_of(r)));
        }
        if (!rest.empty())
          return fmt::format("{} writes {} {}, and the command does not say so", place(g),
                             name(buffer), verification::text(rest.first()));
      }
    return std::nullopt;
  }

  // What is found where the command writes is what some graph has left there, or was there before.
  [[nodiscard]] std::optional<std::string> wrong_claims() const {
    for (const requirement& r : command_.requirements) {
      if (!model::writes(r.mode) || reads_contents(r)) continue;
      rest_of rest(r.elements);
      take_away_read(rest, r.buffer, memory_of(r));
      if (runs_always())
        for (const validity_entry& left : first_->how->exit)
          if (first_->buffers[left.buffer.value()] == r.buffer &&
              holds(left.memories, memory_of(r)))
            rest.take_away(left.elements);
      if (!rest.empty())
        return fmt::format(
            "the command writes {} {} in {}, where nothing is that was there before if its graphs "
            "do not write it",
            name(r.buffer), verification::text(rest.first()), name(memory_of(r)));
    }
    return std::nullopt;
  }

  const model::command& command_;
  const model::subgraph_command& what_;
  const model::topology& machine_;
  const graph_of_command *first_, *last_;
};

std::optional<violation> in_body(std::optional<violation> found, const graph_of_command& g) {
  if (found)
    found->reason = fmt::format("in a graph that command {} runs: {}", g.command, found->reason);
  return found;
}

}  // namespace

std::optional<violation> verify_bodies(const graph_view& graph, const model::topology& topology,
                                       const std::vector<graph_of_command>& graphs) {
  for (const graph_of_command& g : graphs) {
    const auto* const run =
        g.command < graph.commands().size()
            ? std::get_if<model::subgraph_command>(&graph.commands()[g.command].payload)
            : nullptr;
    if (run == nullptr || run->control == model::control_kind::once)
      return violation{{}, fmt::format("command {} runs no other graphs", g.command)};
    if (auto wrong = verify(g.graph.commands(), g.graph.buffers(), topology, *g.how))
      return in_body(std::move(wrong), g);
    if (auto wrong = verify_bodies(g.graph, topology, g.inner)) return in_body(std::move(wrong), g);
  }
  for (std::size_t i = 0; i < graphs.size();) {
    std::size_t end = i + 1;
    while (end < graphs.size() && graphs[end].command == graphs[i].command) ++end;
    const control_check check(graph.commands()[graphs[i].command], topology, graphs.data() + i,
                              graphs.data() + end);
    if (auto wrong = check.wrong())
      return violation{{}, fmt::format("command {}: {}", graphs[i].command, *wrong)};
    i = end;
  }
  return std::nullopt;
}

}  // namespace pianola::planner
