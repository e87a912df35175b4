// SPDX-License-Identifier: Apache-2.0
#include "evict_buffers.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/saturating.hpp>

#include "pianola/planner/share_storage.hpp"
#include "state/uses.hpp"

namespace pianola::planner {

using model::box;
using model::buffer_id;
using model::memory_id;

namespace {

box bytes_between(std::uint64_t from, std::uint64_t to) { return {{{0, 0, from}}, {{1, 1, to}}}; }

}  // namespace

evictor::evictor(window& window, planning_state::implementation& state)
    : window_(window), im_(state) {
  uses_.resize(im_.buffers.size());
  passed_.resize(im_.buffers.size(), 0);
  present_.resize(window.room.size());
  last_slot_.resize(window.room.size());
  for (std::size_t m = 0; m < window.room.size(); ++m) {
    if (window.room[m] == window::unlimited) continue;
    limited_.emplace_back(static_cast<memory_id::rep>(m));
    last_slot_[m] = region_map<std::uint32_t>(bytes_between(0, window.room[m]), none);
  }
  for (std::uint32_t position = 0; position < window.commands.size(); ++position) {
    const std::uint32_t c = window.command_at(position);
    for (const model::requirement& r : window.commands[c].requirements) {
      const model::buffer_info& info = im_.at(r.buffer).info;
      if (!info.temporary && !info.evictable) continue;
      const bool replaces = r.no_init && contains(r.elements, box::of(info.grid.range()));
      const memory_id m = memory_of(window.places[c], r);
      std::vector<use>& all = uses_[r.buffer.value()];
      // With two requirements of one command for a buffer, one may need what the other replaces.
      for (std::size_t u = all.size(); u-- > 0 && all[u].position == position;)
        all[u].replaces = false;
      const bool first = all.empty() || all.back().position != position;
      all.push_back({position, m, replaces && first});
    }
  }
}

std::uint64_t evictor::space(buffer_id b) const { return slot_bytes(im_.at(b).info.bytes()); }

const evictor::use* evictor::next_use(buffer_id b) const {
  const std::vector<use>& all = uses_[b.value()];
  const std::uint32_t at = passed_[b.value()];
  return at < all.size() ? &all[at] : nullptr;
}

const evictor::use* evictor::next_use(buffer_id b, memory_id m) const {
  const std::vector<use>& all = uses_[b.value()];
  for (std::size_t at = passed_[b.value()]; at < all.size(); ++at)
    if (all[at].memory == m) return &all[at];
  return nullptr;
}

bool evictor::needed_again(buffer_id b) const {
  const use* next = next_use(b);
  return next != nullptr ? !next->replaces : !im_.at(b).info.temporary;
}

evictor::regret evictor::regret_of(const resident& r, memory_id m) const {
  const buffer_state& b = im_.at(r.buffer);
  std::uint64_t here = 0, only_here = 0;
  b.valid.visit(b.valid.domain(), [&](const box& where, const validity& v) {
    if (!v.valid.contains(m)) return;
    here += where.count();
    if (v.valid == model::memory_set(m)) only_here += where.count();
  });
  regret lost;
  const use* const next = next_use(r.buffer, m);
  if (next != nullptr && here != 0 && needed_again(r.buffer)) {
    lost.next = next->position;
    lost.moved = here * b.info.element_size;
  }
  if (needed_again(r.buffer)) lost.written_back = only_here * b.info.element_size;
  lost.moved += lost.written_back;
  return lost;
}

template <class F>
evictor::gap evictor::smallest_gap(memory_id m, std::uint64_t bytes, F&& stays) const {
  gap best;
  std::uint64_t free_from = 0;
  const auto consider = [&](std::uint64_t to) {
    if (to < free_from || to - free_from < bytes) return;
    if (best.size() == 0 || to - free_from < best.size()) best = {free_from, to};
  };
  for (const resident& r : present_[m.value()]) {
    if (!stays(r)) continue;
    consider(r.from);
    free_from = r.to;
  }
  consider(window_.room[m.value()]);
  return best;
}

void evictor::take(buffer_id b, memory_id m, const gap& g) {
  std::vector<resident>& all = present_[m.value()];
  resident comes;
  comes.buffer = b;
  comes.from = g.from;
  comes.to = g.from + space(b);
  comes.used = position_;
  comes.needed = true;
  const auto at = std::find_if(
      all.begin(), all.end(), [&](const resident& r) { return r.from >= comes.from && !r.leaves; });
  all.insert(at, comes);
}

bool evictor::find_place(buffer_id b, memory_id m) {
  std::vector<resident>& all = present_[m.value()];
  const std::uint64_t bytes = space(b);
  const auto stays = [](const resident& r) { return !r.leaves; };
  gap found = smallest_gap(m, bytes, stays);
  if (found.size() != 0) {
    take(b, m, found);
    return true;
  }
  struct candidate {
    std::size_t index;
    regret lost;
  };
  std::vector<candidate> candidates;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].leaves && !all[i].needed) candidates.push_back({i, regret_of(all[i], m)});
  std::sort(candidates.begin(), candidates.end(), [&](const candidate& x, const candidate& y) {
    return std::make_tuple(y.lost.next, x.lost.written_back, all[x.index].used, x.index) <
           std::make_tuple(x.lost.next, y.lost.written_back, all[y.index].used, y.index);
  });
  std::vector<char> may_go(all.size(), 0);
  for (const candidate& c : candidates) {
    may_go[c.index] = 1;
    found = smallest_gap(m, bytes, [&](const resident& r) {
      return !r.leaves && may_go[static_cast<std::size_t>(&r - all.data())] == 0;
    });
    if (found.size() != 0) break;
  }
  if (found.size() == 0) return false;
  // Where in this gap the least is moved; then where those that leave were used the longest ago.
  std::vector<std::uint64_t> starts{found.from, found.to - bytes};
  for (const candidate& c : candidates)
    if (may_go[c.index] != 0 && all[c.index].to >= found.from &&
        all[c.index].to + bytes <= found.to)
      starts.push_back(all[c.index].to);
  std::sort(starts.begin(), starts.end());
  std::uint64_t start = found.from;
  std::pair<std::uint64_t, std::uint32_t> least(~std::uint64_t{0}, 0);
  for (const std::uint64_t s : starts) {
    std::uint64_t moved = 0;
    std::uint32_t used = 0;
    for (const candidate& c : candidates)
      if (may_go[c.index] != 0 && all[c.index].from < s + bytes && s < all[c.index].to) {
        moved += c.lost.moved;
        used = std::max(used, all[c.index].used);
      }
    if (std::make_pair(moved, used) < least) {
      least = {moved, used};
      start = s;
    }
  }
  for (const candidate& c : candidates)
    if (may_go[c.index] != 0 && all[c.index].from < start + bytes && start < all[c.index].to)
      all[c.index].leaves = true;
  take(b, m, {start, start + bytes});
  return true;
}

// All leave, also what the command needs.
void evictor::put_side_by_side(std::uint32_t position, memory_id m) {
  std::vector<resident>& all = present_[m.value()];
  std::erase_if(all, [](const resident& r) { return r.slot == none; });
  std::vector<buffer_id> needed = wanted_;
  for (resident& r : all) {
    if (r.needed) needed.push_back(r.buffer);
    r.needed = false;
    r.leaves = true;
  }
  std::sort(needed.begin(), needed.end());
  std::uint64_t sum = 0;
  for (const buffer_id b : needed) sum = model::saturating_add(sum, space(b));
  if (sum > window_.room[m.value()]) {
    std::string text = fmt::format(
        "command {} needs {} bytes at a time in memory '{}', where {} bytes are left for buffers "
        "that may leave",
        window_.command_at(position), sum,
        formats::one_line(window_.machine->memories[m.value()].name, 48), window_.room[m.value()]);
    throw model::user_error(model::error_code::memory_allocation,
                            text +
                                "; give the graph a larger budget, or let its commands work on "
                                "smaller buffers");
  }
  std::uint64_t at = 0;
  for (const buffer_id b : needed) {
    take(b, m, {at, at + space(b)});
    at += space(b);
  }
}

void evictor::list_departures(memory_id m) {
  leaving_.clear();
  for (const resident& r : present_[m.value()])
    if (r.leaves) leaving_.push_back({r.buffer, m, needed_again(r.buffer)});
}

void evictor::choose(std::uint32_t position, memory_id m) {
  position_ = position;
  const std::uint32_t command = window_.command_at(position);
  std::vector<resident>& all = present_[m.value()];
  for (resident& r : all) r.needed = false;
  wanted_.clear();
  for (const model::requirement& r : window_.commands[command].requirements) {
    if (memory_of(window_.places[command], r) != m) continue;
    if (!window_.may_leave(im_.at(r.buffer).info, m)) continue;
    const auto here = std::find_if(all.begin(), all.end(),
                                   [&](const resident& x) { return x.buffer == r.buffer; });
    if (here != all.end()) {
      here->needed = true;
      here->used = position;
    } else if (std::find(wanted_.begin(), wanted_.end(), r.buffer) == wanted_.end()) {
      wanted_.push_back(r.buffer);
    }
  }
  // Large ones first: small ones find room between others.
  std::sort(wanted_.begin(), wanted_.end(), [&](buffer_id a, buffer_id b) {
    return std::make_pair(space(b), a) < std::make_pair(space(a), b);
  });
  if (!std::all_of(wanted_.begin(), wanted_.end(), [&](buffer_id b) { return find_place(b, m); }))
    put_side_by_side(position, m);
  list_departures(m);
}

void evictor::choose_all(memory_id m) {
  for (resident& r : present_[m.value()]) r.leaves = true;
  list_departures(m);
}

void evictor::take_places(memory_id m) {
  std::vector<resident>& all = present_[m.value()];
  const auto next = static_cast<std::uint32_t>(window_.nodes.size());
  for (const resident& r : all)
    if (r.leaves) window_.slots[r.slot].last = next - 1;
  std::erase_if(all, [](const resident& r) { return r.leaves; });
  for (resident& r : all) {
    if (r.slot != none) continue;
    r.slot = static_cast<std::uint32_t>(window_.slots.size());
    window_slot& s = window_.slots.emplace_back();
    s.buffer = r.buffer;
    s.memory = m;
    s.offset = r.from;
    s.first = next;
    last_slot_[m.value()].update(bytes_between(r.from, r.to), [&](const box&, std::uint32_t& had) {
      if (had != none) s.over.push_back(had);
      had = r.slot;
      return true;
    });
    std::sort(s.over.begin(), s.over.end());
    s.over.erase(std::unique(s.over.begin(), s.over.end()), s.over.end());
  }
}

void evictor::pass_uses(std::uint32_t position) {
  for (const model::requirement& r : window_.commands[window_.command_at(position)].requirements) {
    const std::vector<use>& all = uses_[r.buffer.value()];
    std::uint32_t& at = passed_[r.buffer.value()];
    while (at < all.size() && all[at].position <= position) ++at;
  }
}

void order_slots(window& w, const planning_state& state) {
  if (w.slots.empty()) return;
  const std::size_t buffers = state.internals().buffers.size();
  std::vector<std::vector<std::uint32_t>> users(w.slots.size());
  // The slot that a buffer has in a memory at the moment.
  constexpr std::uint32_t nowhere = 0xffffffffU;
  std::vector<std::uint32_t> current(w.room.size() * buffers, nowhere);
  std::uint32_t begun = 0;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) {
    for (; begun < w.slots.size() && w.slots[begun].first <= i; ++begun) {
      const window_slot& s = w.slots[begun];
      current[s.memory.value() * buffers + s.buffer.value()] = begun;
    }
    for_each_use(w, w.nodes[i], [&](buffer_id b, memory_id m) {
      const std::uint32_t slot = current[m.value() * buffers + b.value()];
      if (slot == nowhere) return;
      std::vector<std::uint32_t>& mine = users[slot];
      if (!mine.empty() && mine.back() == i) return;
      if (!mine.empty()) {
        w.slot_edges.push_back({i, mine.front()});
      } else {
        for (const std::uint32_t before : w.slots[slot].over)
          for (const std::uint32_t user : users[before]) w.slot_edges.push_back({i, user});
      }
      mine.push_back(i);
    });
  }
}

}  // namespace pianola::planner
