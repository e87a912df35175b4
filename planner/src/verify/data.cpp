// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "checker.hpp"

namespace pianola::planner::verification {

void checker::run_through() {
  contents_.resize(buffers_.size());
  for (std::size_t b = 0; b < buffers_.size(); ++b)
    if (!buffers_[b].temporary) contents_[b].current.add(box::of(buffers_[b].grid.range()), 0);
  for (const validity_entry& e : plan_.contract)
    e.memories.for_each([&](memory_id m) {
      contents_[e.buffer.value()].places[m.value()].held.replace(e.elements, 0);
    });
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
    begin_and_end_slots(i);
    if (const auto* e = std::get_if<execute_step>(&plan_.steps[i].action))
      run_command(i, *e);
    else
      run_transfer(i, std::get<transfer_step>(plan_.steps[i].action));
  }
  begin_and_end_slots(static_cast<std::uint32_t>(plan_.steps.size()));
}

std::optional<checker::difference> checker::outdated(std::size_t buffer, memory_id m,
                                                     const box& elements) {
  contents& c = contents_[buffer];
  box_index& held = c.places[m.value()].held;
  for (const auto& current : meeting(c.current, elements)) {
    const box part = intersection(current.where, elements);
    std::uint64_t there = 0;
    for (const auto& h : meeting(held, part)) {
      const box common = intersection(h.where, part);
      if (h.value != current.value) return difference{common, current.value, true};
      there += common.count();
    }
    if (there != part.count()) return difference{*held.gap(part), current.value, false};
  }
  return std::nullopt;
}

bool checker::finds(std::uint32_t i, std::size_t buffer, memory_id m, const box& elements) {
  const auto missing = outdated(buffer, m, elements);
  if (!missing) return true;
  const model::buffer_id id(static_cast<std::uint32_t>(buffer));
  std::string why =
      fmt::format("{} reads {} {} in {}, ", describe(i), name(id), text(missing->where), name(m));
  if (missing->current == 0)
    why += "where the entry contract does not promise it";
  else
    why += fmt::format("where command {}'s data has not been brought{}", missing->current - 1,
                       missing->outdated ? ": it is outdated" : "");
  complain(i, std::move(why));
  return false;
}

void checker::run_transfer(std::uint32_t i, const transfer_step& t) {
  const std::size_t b = t.buffer.value();
  contents& c = contents_[b];
  const auto moved = meeting(c.current, t.elements);
  box_index& held = c.places[t.to.value()].held;
  if (finds(i, b, t.from, t.elements))
    for (const auto& current : moved)
      for (const auto& h : meeting(held, intersection(current.where, t.elements)))
        if (h.value == current.value) {
          const box common = intersection(intersection(h.where, current.where), t.elements);
          complain(i, fmt::format("{} moves {}, which is up to date there already", describe(i),
                                  text(common)));
          break;
        }
  use(c.places[t.from.value()].used, i, t.elements, false, b, t.from.value());
  use(c.places[t.to.value()].used, i, t.elements, true, b, t.to.value());
  held.cut_out(t.elements);
  for (const auto& current : moved)
    held.add(intersection(current.where, t.elements), current.value);
}

void checker::run_command(std::uint32_t i, const execute_step& e) {
  const model::command& command = commands_[e.command.value()];
  const bool launch = std::holds_alternative<model::subgraph_command>(command.payload);
  for (const model::requirement& r : command.requirements) {
    if (r.no_init || r.elements.empty()) continue;
    const std::size_t b = r.buffer.value();
    const memory_id m = memory_of(e, r);
    const box elements = launch ? r.elements : pages(r);
    finds(i, b, m, elements);
    use(contents_[b].places[m.value()].used, i, elements, false, b, m.value());
  }
  for (const model::requirement& r : command.requirements) {
    if (!writes(r.mode) || r.elements.empty()) continue;
    const std::size_t b = r.buffer.value();
    const memory_id m = memory_of(e, r);
    const box elements = r.no_init ? r.elements : pages(r);
    place& p = contents_[b].places[m.value()];
    use(p.used, i, elements, true, b, m.value());
    for (box_index* index : {&contents_[b].current, &p.held})
      index->replace(elements, e.command.value() + 1);
  }
}

void checker::use(users& by, std::uint32_t i, const box& elements, bool writes, std::size_t buffer,
                  std::uint32_t memory) {
  const auto b = static_cast<std::uint32_t>(buffer);
  for (const auto& w : meeting(by.writers, elements)) need(w.value, i, b, memory);
  if (!writes) {
    by.readers.add(elements, i);
    return;
  }
  const std::vector<box_index::entry> read = by.readers.cut_out(elements);
  boxes_met_ += read.size();
  for (const auto& r : read) need(r.value, i, b, memory);
  by.writers.replace(elements, i);
}

void checker::need(std::uint32_t first, std::uint32_t second, std::uint32_t buffer,
                   std::uint32_t memory) {
  if (first == second) return;
  if (!needs_.empty() && needs_.back().first == first && needs_.back().second == second) return;
  needs_.push_back({first, second, buffer, memory});
  if (needs_.size() >= thin_at_) {
    thin();
    thin_at_ = std::max(thin_at_, 2 * needs_.size());
  }
}
void checker::thin() {
  if (!std::is_sorted(needs_.begin(), needs_.end(), comes_first))
    std::sort(needs_.begin(), needs_.end(), comes_first);
  needs_.erase(std::unique(needs_.begin(), needs_.end(),
                           [](const auto& a, const auto& b) {
                             return a.first == b.first && a.second == b.second;
                           }),
               needs_.end());
}

}  // namespace pianola::planner::verification
