// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "box_index.hpp"
#include "checker.hpp"
#include "pianola/planner/verify_bodies.hpp"

namespace pianola::planner {

namespace {

using model::box;
using model::memory_id;
using model::requirement;
using verification::box_index;
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

// What a graph leaves, found by its own buffers; and which of these stand for a buffer of the command.
class left_behind {
 public:
  explicit left_behind(const graph_of_command& g) : exit_(g.how->exit), boxes_(g.buffers.size()) {
    for (std::uint32_t b = 0; b < g.buffers.size(); ++b) own_[g.buffers[b]].push_back(b);
    for (std::uint32_t i = 0; i < exit_.size(); ++i)
      boxes_[exit_[i].buffer.value()].add(exit_[i].elements, i);
  }
  // Calls f with each part of the box, of the graph's buffer, that it leaves somewhere, and whatever else is known of that.
  // The first text that f returns is the answer.
  template <class F>
  [[nodiscard]] std::optional<std::string> find_in(std::uint32_t own, const box& elements,
                                                   const F& f) const {
    for (const box_index::entry& e : boxes_[own].meeting(elements))
      if (auto told = f(exit_[e.value], intersection(e.where, elements))) return told;
    return std::nullopt;
  }
  template <class F>
  [[nodiscard]] std::optional<std::string> find(model::buffer_id of_command, const box& elements,
                                                const F& f) const {
    const auto own = own_.find(of_command);
    if (own == own_.end()) return std::nullopt;
    for (const std::uint32_t b : own->second)
      if (auto told = find_in(b, elements, f)) return told;
    return std::nullopt;
  }

 private:
  const std::vector<validity_entry>& exit_;
  std::vector<box_index> boxes_;
  std::map<model::buffer_id, std::vector<std::uint32_t>> own_;
};

class control_check {
 public:
  control_check(const model::command& command, const model::topology& machine,
                const graph_of_command* first, const graph_of_command* last)
      : command_(command),
        what_(std::get<model::subgraph_command>(command.payload)),
        machine_(machine),
        first_(first),
        last_(last) {
    for (std::uint32_t i = 0; i < command.requirements.size(); ++i)
      required_[command.requirements[i].buffer].add(command.requirements[i].elements, i);
  }

  [[nodiscard]] std::optional<std::string> wrong() const {
    for (const graph_of_command* g = first_; g != last_; ++g) {
      if (auto reason = wrong_names(*g)) return reason;
      if (what_.control == model::control_kind::repeat && what_.count == 0) continue;  // never
      const left_behind left(*g);
      if (auto reason = wrong_iterations(*g, left)) return reason;
      if (auto reason = wrong_needs(*g)) return reason;
      if (auto reason = wrong_writes(*g, left)) return reason;
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
  [[nodiscard]] std::optional<std::string> wrong_iterations(const graph_of_command& g,
                                                            const left_behind& left) const {
    if (!runs_again()) return std::nullopt;
    for (const validity_entry& needed : g.how->contract)
      if (auto told = left.find_in(
              needed.buffer.value(), needed.elements,
              [&](const validity_entry& e, const box& common) -> std::optional<std::string> {
                if (e.memories.contains(needed.memories)) return std::nullopt;
                return fmt::format(
                    "an iteration leaves {} {} in other memories than those where the next one "
                    "needs it",
                    name(g.buffers[needed.buffer.value()]), verification::text(common));
              }))
        return told;
    if (!is_loop() || what_.condition == model::memory_operand::no_requirement) return std::nullopt;
    const requirement& condition = command_.requirements[what_.condition];
    return left.find(condition.buffer, condition.elements,
                     [&](const validity_entry& e, const box&) -> std::optional<std::string> {
                       if (holds(e.memories, memory_of(condition))) return std::nullopt;
                       return fmt::format(
                           "an iteration leaves the condition, in {}, elsewhere than in {}",
                           name(condition.buffer), name(memory_of(condition)));
                     });
  }

  [[nodiscard]] std::optional<std::string> wrong_needs(const graph_of_command& g) const {
    std::optional<std::string> wrong;
    for (const validity_entry& needed : g.how->contract)
      needed.memories.for_each([&](memory_id memory) {
        if (wrong.has_value()) return;
        rest_of rest(needed.elements);
        const model::buffer_id buffer = g.buffers[needed.buffer.value()];
        take_away_read(rest, buffer, needed.elements, memory);
        if (!rest.empty())
          wrong =
              fmt::format("{} needs {} {} in {}, and the command does not require that", place(g),
                          name(buffer), verification::text(rest.first()), name(memory));
      });
    return wrong;
  }

  // Calls f with each requirement of the command that meets the box.
  template <class F>
  void for_each_required(model::buffer_id buffer, const box& elements, const F& f) const {
    const auto of_buffer = required_.find(buffer);
    if (of_buffer == required_.end()) return;
    for (const box_index::entry& e : of_buffer->second.meeting(elements))
      f(command_.requirements[e.value]);
  }
  void take_away_read(rest_of& rest, model::buffer_id buffer, const box& elements,
                      memory_id memory) const {
    for_each_required(buffer, elements, [&](const requirement& r) {
      if (memory_of(r) == memory && reads_contents(r)) rest.take_away(r.elements);
    });
  }

  // By what its commands say, not by what the plan says of itself.
  [[nodiscard]] std::optional<std::string> wrong_writes(const graph_of_command& g,
                                                        const left_behind& left) const {
    for (const auto& [own, elements] : written_by(g)) {
      const model::buffer_id buffer = g.buffers[own];
      rest_of rest(elements);
      std::optional<std::string> told;
      for_each_required(buffer, elements, [&](const requirement& r) {
        if (told || !model::writes(r.mode)) return;
        rest.take_away(r.elements);
        told = left.find_in(
            own, intersection(r.elements, elements),
            [&](const validity_entry& e, const box& common) -> std::optional<std::string> {
              if (holds(e.memories, memory_of(r))) return std::nullopt;
              return fmt::format(
                  "{} leaves {} {} elsewhere than in {}, where the command says that it writes it",
                  place(g), name(buffer), verification::text(common), name(memory_of(r)));
            });
      });
      if (told) return told;
      if (!rest.empty())
        return fmt::format("{} writes {} {}, and the command does not say so", place(g),
                           name(buffer), verification::text(rest.first()));
    }
    return std::nullopt;
  }
  // Each box once, however many commands write it.
  [[nodiscard]] static std::vector<std::pair<std::uint32_t, box>> written_by(
      const graph_of_command& g) {
    std::vector<std::pair<std::uint32_t, box>> all;
    for (const model::command& c : g.graph.commands())
      for (const requirement& w : c.requirements)
        if (model::writes(w.mode)) all.emplace_back(w.buffer.value(), w.elements);
    const auto key = [](const std::pair<std::uint32_t, box>& w) {
      const auto &lo = w.second.lo.c, &hi = w.second.hi.c;
      return std::array<std::uint64_t, 7>{w.first, lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]};
    };
    std::sort(all.begin(), all.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // What is found where the command writes is what some graph has left there, or was there before.
  [[nodiscard]] std::optional<std::string> wrong_claims() const {
    std::optional<left_behind> left;
    if (runs_always()) left.emplace(*first_);
    for (const requirement& r : command_.requirements) {
      if (!model::writes(r.mode) || reads_contents(r)) continue;
      rest_of rest(r.elements);
      take_away_read(rest, r.buffer, r.elements, memory_of(r));
      if (left)
        static_cast<void>(left->find(
            r.buffer, r.elements,
            [&](const validity_entry& e, const box& common) -> std::optional<std::string> {
              if (holds(e.memories, memory_of(r))) rest.take_away(common);
              return std::nullopt;
            }));
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
  std::map<model::buffer_id, box_index> required_;  // values: numbers of requirements
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
