// SPDX-License-Identifier: Apache-2.0
#include <tuple>

#include "verify_checker.hpp"

namespace pianola::planner::verification {

void checker::run_through() {
  const std::size_t memories = machine_.memories.size();
  contents_.resize(buffers_.size());
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    contents& c = contents_[b];
    c.current.assign(grids_[b].size(), 0);
    c.held.assign(memories, std::vector<std::uint32_t>(grids_[b].size(), nothing));
    c.used.assign(memories, std::vector<users>(grids_[b].size()));
  }
  for (const validity_entry& e : plan_.contract)
    for (std::size_t m = 0; m < memories; ++m)
      if ((e.memories >> m & 1) != 0)
        grids_[e.buffer.value()].each(
            e.elements, [&](std::size_t cell) { contents_[e.buffer.value()].held[m][cell] = 0; });
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
    if (const auto* e = std::get_if<execute_step>(&plan_.steps[i].action))
      run_command(i, *e);
    else
      run_transfer(i, std::get<transfer_step>(plan_.steps[i].action));
  }
}

bool checker::finds(std::uint32_t i, std::size_t buffer, memory_id m, std::size_t cell) {
  const contents& c = contents_[buffer];
  const std::uint32_t there = c.held[m.value()][cell];
  if (there == c.current[cell]) return true;
  const model::buffer_id id(static_cast<std::uint32_t>(buffer));
  std::string why = describe(i) + " reads " + name(id) + " " + text(grids_[buffer].where(cell)) +
                    " in " + name(m) + ", ";
  if (c.current[cell] == 0)
    why += "where the entry contract does not promise it";
  else
    why += "where command " + std::to_string(c.current[cell] - 1) + "'s data has not been brought" +
           (there == nothing ? "" : ": it is outdated");
  complain(i, std::move(why));
  return false;
}

void checker::run_transfer(std::uint32_t i, const transfer_step& t) {
  const std::size_t b = t.buffer.value();
  contents& c = contents_[b];
  bool sound = true;
  grids_[b].each(t.elements, [&](std::size_t cell) {
    if (!sound) return;
    sound = finds(i, b, t.from, cell);
    if (sound && c.held[t.to.value()][cell] == c.current[cell]) {
      complain(i, describe(i) + " moves " + text(grids_[b].where(cell)) +
                      ", which is up to date there already");
      sound = false;
    }
  });
  grids_[b].each(t.elements, [&](std::size_t cell) {
    note_read(i, b, t.from, cell);
    note_write(i, b, t.to, cell);
    c.held[t.to.value()][cell] = c.current[cell];
  });
}

void checker::run_command(std::uint32_t i, const execute_step& e) {
  const model::command& command = commands_[e.command.value()];
  for (const model::requirement& r : command.requirements) {
    if (r.no_init || r.elements.empty()) continue;
    const std::size_t b = r.buffer.value();
    const memory_id m = memory_of(e, r);
    bool sound = true;
    const bool launch = std::holds_alternative<model::subgraph_command>(command.payload);
    grids_[b].each(launch ? r.elements : pages(r), [&](std::size_t cell) {
      sound = sound && finds(i, b, m, cell);
      note_read(i, b, m, cell);
    });
  }
  for (const model::requirement& r : command.requirements) {
    if (!writes(r.mode) || r.elements.empty()) continue;
    const std::size_t b = r.buffer.value();
    const memory_id m = memory_of(e, r);
    contents& c = contents_[b];
    grids_[b].each(r.no_init ? r.elements : pages(r), [&](std::size_t cell) {
      note_write(i, b, m, cell);
      c.current[cell] = e.command.value() + 1;
      c.held[m.value()][cell] = c.current[cell];
    });
  }
}

void checker::note_read(std::uint32_t i, std::size_t b, memory_id m, std::size_t cell) {
  users& u = contents_[b].used[m.value()][cell];
  need(u.writer, i, static_cast<std::uint32_t>(b), m.value());
  if (u.readers.empty() || u.readers.back() != i) u.readers.push_back(i);
}
void checker::note_write(std::uint32_t i, std::size_t b, memory_id m, std::size_t cell) {
  users& u = contents_[b].used[m.value()][cell];
  need(u.writer, i, static_cast<std::uint32_t>(b), m.value());
  for (const std::uint32_t r : u.readers) need(r, i, static_cast<std::uint32_t>(b), m.value());
  u.writer = i;
  u.readers.clear();
}

void checker::need(std::uint32_t first, std::uint32_t second, std::uint32_t buffer,
                   std::uint32_t memory) {
  if (first == nothing || first == second) return;
  if (!needs_.empty() && needs_.back().first == first && needs_.back().second == second) return;
  needs_.push_back({first, second, buffer, memory});
  if (needs_.size() >= thin_at_) {
    thin();
    thin_at_ = std::max(thin_at_, 2 * needs_.size());
  }
}
void checker::thin() {
  std::sort(needs_.begin(), needs_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second, a.buffer, a.memory) <
           std::tie(b.first, b.second, b.buffer, b.memory);
  });
  needs_.erase(std::unique(needs_.begin(), needs_.end(),
                           [](const auto& a, const auto& b) {
                             return a.first == b.first && a.second == b.second;
                           }),
               needs_.end());
}

}  // namespace pianola::planner::verification
