// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <pianola/model/saturating.hpp>

#include "checker.hpp"

namespace pianola::planner::verification {

namespace {

// As the runtime places things in a block.
std::uint64_t room_for(std::uint64_t bytes) {
  return model::saturating_round_up(std::max<std::uint64_t>(bytes, 1), 256);
}

}  // namespace

const memory_use* checker::use_of(memory_id m) const {
  for (const memory_use& u : plan_.memories)
    if (u.memory == m) return &u;
  return nullptr;
}

bool checker::check_slots() {
  for (std::size_t i = 0; i < plan_.memories.size(); ++i) {
    const memory_use& u = plan_.memories[i];
    if (!u.memory.valid() || u.memory.value() >= machine_.memories.size() ||
        (i != 0 && !(plan_.memories[i - 1].memory < u.memory))) {
      complain(nothing, "the list of memories names one that does not exist, or out of order");
      return false;
    }
  }
  for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
    const storage_slot& s = plan_.slots[i];
    if (!s.buffer.valid() || s.buffer.value() >= buffers_.size() || !s.memory.valid() ||
        s.memory.value() >= machine_.memories.size() || s.last < s.first ||
        s.last >= plan_.steps.size()) {
      complain(nothing,
               fmt::format("slot {} names a buffer, a memory or steps that do not exist", i));
      return false;
    }
    const model::buffer_info& b = buffers_[s.buffer.value()];
    if (!b.temporary && !b.evictable)
      complain(nothing, fmt::format("slot {} is for {}, which is neither temporary nor evictable",
                                    i, name(s.buffer)));
    const memory_use* u = use_of(s.memory);
    if (u == nullptr || s.offset % 256 != 0 || u->block < room_for(b.bytes()) ||
        s.offset > u->block - room_for(b.bytes()))
      complain(nothing, fmt::format("slot {} does not lie in the block of {}", i, name(s.memory)));
    if (i == 0) continue;
    const storage_slot& before = plan_.slots[i - 1];
    const auto key = [](const storage_slot& x) { return std::make_pair(x.buffer, x.memory); };
    if (key(s) < key(before) || (key(s) == key(before) && s.first <= before.last))
      complain(nothing,
               fmt::format("slot {} comes before the end of the slot that is listed before it", i));
  }
  if (!problems_.empty()) return false;

  std::map<std::pair<model::buffer_id, memory_id>, std::vector<std::uint32_t>> slots_of;
  for (std::uint32_t i = 0; i < plan_.slots.size(); ++i) {
    slots_of[{plan_.slots[i].buffer, plan_.slots[i].memory}].push_back(i);
    begins_.emplace(plan_.slots[i].first, i);
    ended_.emplace(plan_.slots[i].last + 1, i);
  }
  slot_users_.resize(plan_.slots.size());
  const auto used = [&](std::uint32_t step, model::buffer_id b, memory_id m) {
    const auto found = slots_of.find({b, m});
    if (found == slots_of.end()) {
      // A plan of what ran, or an older one, says nothing of memory.
      if (buffers_[b.value()].temporary && !plan_.memories.empty())
        complain(step, fmt::format("{} uses {}, which is temporary, in {}, where it has no slot",
                                   describe(step), name(b), name(m)));
      return;
    }
    for (const std::uint32_t i : found->second)
      if (plan_.slots[i].first <= step && step <= plan_.slots[i].last) {
        if (slot_users_[i].empty() || slot_users_[i].back() != step) slot_users_[i].push_back(step);
        return;
      }
    complain(step, fmt::format("{} uses {} in {} while it has no slot there", describe(step),
                               name(b), name(m)));
  };
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
    if (const auto* t = std::get_if<transfer_step>(&plan_.steps[i].action)) {
      used(i, t->buffer, t->from);
      used(i, t->buffer, t->to);
      continue;
    }
    const auto& e = std::get<execute_step>(plan_.steps[i].action);
    for (const model::requirement& r : commands_[e.command.value()].requirements)
      used(i, r.buffer, memory_of(e, r));
  }
  for (const validity_entry& e : plan_.contract)
    for (const auto& [place, slots] : slots_of)
      if (place.first == e.buffer && e.memories.contains(place.second))
        complain(nothing, fmt::format("the entry contract promises {} in {}, where it has slots",
                                      name(e.buffer), name(place.second)));
  return problems_.empty();
}

void checker::order_slots() {
  // By memory, the bytes of the block, with the slot that had them last.
  std::map<std::uint16_t, box_index> had;
  for (std::uint32_t step = 0; step < plan_.steps.size(); ++step) {
    const auto [first, end] = begins_.equal_range(step);
    for (auto b = first; b != end; ++b) {
      const storage_slot& s = plan_.slots[b->second];
      const std::uint64_t to =
          model::saturating_add(s.offset, room_for(buffers_[s.buffer.value()].bytes()));
      const box bytes{{{0, 0, s.offset}}, {{1, 1, to}}};
      box_index& index = had[s.memory.value()];
      for (const auto& before : meeting(index, bytes)) {
        if (plan_.slots[before.value].last >= s.first)
          complain(step, fmt::format("{} begins slot {} in the room of slot {}, which goes on",
                                     describe(step), b->second, before.value));
        for (const std::uint32_t earlier : slot_users_[before.value])
          for (const std::uint32_t later : slot_users_[b->second])
            need(earlier, later, nothing, shared_room);
      }
      index.cut_out(bytes);
      index.add(bytes, b->second);
    }
  }
}

void checker::forget(const storage_slot& s) {
  place& p = contents_[s.buffer.value()].places[s.memory.value()];
  p.held.clear();
  p.used.readers.clear();
  p.used.writers.clear();
}

void checker::begin_and_end_slots(std::uint32_t step) {
  for (const auto* list : {&ended_, &begins_}) {
    const auto [first, end] = list->equal_range(step);
    for (auto i = first; i != end; ++i) forget(plan_.slots[i->second]);
  }
}

void checker::check_peaks() {
  const bool listed = !plan_.memories.empty();
  // What ran need not have had all of its buffers at the same time.
  if (!listed && !plan_.finished.empty()) return;
  std::map<memory_id, std::uint64_t> peaks, apart;
  std::set<std::pair<model::buffer_id, memory_id>> counted, slotted;
  const auto add = [](std::uint64_t& sum, std::uint64_t bytes) {
    sum = model::saturating_add(sum, bytes);
  };
  for (const storage_slot& s : plan_.slots) slotted.insert({s.buffer, s.memory});
  const auto count = [&](model::buffer_id b, memory_id m) {
    if (!counted.insert({b, m}).second) return;
    add((slotted.count({b, m}) != 0 ? apart : peaks)[m], buffers_[b.value()].bytes());
    add(peaks[m], 0);
  };
  for (const step& s : plan_.steps) {
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      count(t->buffer, t->from);
      count(t->buffer, t->to);
      continue;
    }
    const auto& e = std::get<execute_step>(s.action);
    for (const model::requirement& r : commands_[e.command.value()].requirements)
      count(r.buffer, memory_of(e, r));
  }
  for (const validity_entry& e : plan_.contract)
    e.memories.for_each([&](memory_id m) { count(e.buffer, m); });
  std::map<memory_id, std::uint64_t> blocks;
  for (const storage_slot& s : plan_.slots)
    blocks[s.memory] =
        std::max(blocks[s.memory],
                 model::saturating_add(s.offset, room_for(buffers_[s.buffer.value()].bytes())));
  for (const auto& [m, bytes] : blocks) add(peaks[m], bytes);
  // Bytes that commands allocate, as boxes that do not meet each other. In a plan of what ran, which may have no other
  // mark, each has a place of its own, though it may have had the memory of one that had ended.
  std::map<memory_id, box_index> allocated;
  std::map<memory_id, std::uint64_t> taken, each;
  std::set<std::tuple<memory_id, std::uint64_t, std::uint64_t, std::uint64_t>> known_names;
  for (const model::command& c : commands_)
    if (const auto* a = std::get_if<model::allocate_command>(&c.payload); a != nullptr && listed) {
      const box bytes{{{0, 0, a->place}},
                      {{1, 1, model::saturating_add(a->place, room_for(a->bytes))}}};
      std::uint64_t known = 0;
      for (const auto& met : meeting(allocated[a->memory], bytes))
        known += intersection(met.where, bytes).count();
      add(peaks[a->memory], bytes.count() - known);
      add(taken[a->memory], bytes.count() - known);
      // A graph that is nested twice has its memory once.
      if (known_names.insert({a->memory, a->allocation, a->place, a->bytes}).second)
        add(each[a->memory], bytes.count());
      allocated[a->memory].cut_out(bytes);
      allocated[a->memory].add(bytes, 0);
    }
  const auto keep_within = [&](memory_id m, std::uint64_t bytes, std::uint64_t budget) {
    if (const std::uint64_t there = machine_.memories[m.value()].bytes;
        m != model::host_memory && there != 0)
      budget = budget == 0 ? there : std::min(budget, there);
    if (budget != 0 && bytes > budget)
      complain(nothing, fmt::format("the plan needs {} bytes in {}, whose budget is {}", bytes,
                                    name(m), budget));
  };
  for (const auto& [m, bytes] : peaks) {
    if (!listed) {
      keep_within(m, bytes, 0);
    } else if (use_of(m) == nullptr && bytes != 0) {
      complain(nothing,
               fmt::format("the list of memories leaves out {}, of which the plan needs {} bytes",
                           name(m), bytes));
    }
  }
  for (const memory_use& u : plan_.memories) {
    const auto differs = [&](const char* what, std::uint64_t stated, std::uint64_t found) {
      if (stated != found)
        complain(nothing,
                 fmt::format("the list of memories says that {} has {} of {} bytes, and it is {}",
                             name(u.memory), what, stated, found));
    };
    differs("a peak", u.peak, peaks[u.memory]);
    differs("a block", u.block, blocks[u.memory]);
    differs("buffers in slots", u.apart, apart[u.memory]);
    // Older files do not tell.
    if (u.allocated != 0 || u.allocated_apart != 0) {
      differs("allocations of commands", u.allocated, taken[u.memory]);
      differs("allocations of commands, apart,", u.allocated_apart, each[u.memory]);
    }
    keep_within(u.memory, u.peak, u.budget);
  }
}

}  // namespace pianola::planner::verification
