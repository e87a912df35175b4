// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/memory_uses.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include <pianola/model/saturating.hpp>

#include "memory/held_copies.hpp"
#include "pianola/planner/share_storage.hpp"

namespace pianola::planner {

using model::buffer_id;
using model::memory_id;

std::vector<held_copy> held_copies(model::array_view<const model::command> commands,
                                   const model::topology& topology, const plan& p) {
  std::vector<held_copy> places;
  for (const step& s : p.steps) {
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      places.emplace_back(t->from, t->buffer);
      places.emplace_back(t->to, t->buffer);
      continue;
    }
    const auto& e = std::get<execute_step>(s.action);
    const model::command& c = commands[e.command.value()];
    const bool by_host = std::holds_alternative<model::host_access_command>(c.payload);
    const memory_id here = by_host ? model::host_memory : topology.memory_of(e.device);
    for (const model::requirement& r : c.requirements)
      places.emplace_back(r.memory.valid() ? r.memory : here, r.buffer);
  }
  for (const validity_entry& e : p.contract)
    e.memories.for_each([&](memory_id m) {
      if (m.value() < topology.memories.size()) places.emplace_back(m, e.buffer);
    });
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::map<memory_id, allocated_bytes> allocated_by(
    model::array_view<const model::command> commands) {
  struct allocations {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>
        each;  // name, place, bytes
  };
  std::map<memory_id, allocations> of;
  for (const model::command& c : commands)
    if (const auto* a = std::get_if<model::allocate_command>(&c.payload)) {
      allocations& here = of[a->memory];
      const std::uint64_t bytes = slot_bytes(a->bytes);
      here.ranges.emplace_back(a->place, model::saturating_add(a->place, bytes));
      here.each.emplace_back(a->allocation, a->place, bytes);
    }
  std::map<memory_id, allocated_bytes> result;
  for (auto& [memory, here] : of) {
    allocated_bytes& bytes = result[memory];
    std::sort(here.ranges.begin(), here.ranges.end());
    std::uint64_t end = 0;
    for (const auto& [from, to] : here.ranges) {
      if (to <= end) continue;
      bytes.taken = model::saturating_add(bytes.taken, to - std::max(from, end));
      end = to;
    }
    std::sort(here.each.begin(), here.each.end());
    here.each.erase(std::unique(here.each.begin(), here.each.end()), here.each.end());
    for (const auto& one : here.each)
      bytes.apart = model::saturating_add(bytes.apart, std::get<2>(one));
  }
  return result;
}

namespace {

std::uint64_t budget_of(memory_id m, const model::topology& topology, std::uint64_t wanted) {
  if (m == model::host_memory) return 0;
  const std::uint64_t there_is = topology.memories[m.value()].bytes;
  if (there_is == 0 || wanted == 0) return std::max(there_is, wanted);
  return std::min(there_is, wanted);
}

}  // namespace

std::vector<memory_use> memory_uses(model::array_view<const model::command> commands,
                                    model::array_view<const model::buffer_info> buffers,
                                    const model::topology& topology, const plan& plan,
                                    std::uint64_t budget) {
  std::map<memory_id, memory_use> uses;
  for (const auto& [m, bytes] : allocated_by(commands)) {
    memory_use& u = uses[m];
    u.peak = u.allocated = bytes.taken;
    u.allocated_apart = bytes.apart;
  }
  for (const held_copy& p : held_copies(commands, topology, plan)) {
    const std::uint64_t bytes = buffers[p.second.value()].bytes();
    memory_use& u = uses[p.first];
    std::uint64_t& sum = plan.has_slots(p.second, p.first) ? u.apart : u.peak;
    sum = model::saturating_add(sum, bytes);
  }
  for (const storage_slot& s : plan.slots) {
    memory_use& u = uses[s.memory];
    u.block = std::max(
        u.block, model::saturating_add(s.offset, slot_bytes(buffers[s.buffer.value()].bytes())));
  }
  std::vector<memory_use> list;
  for (auto& [m, use] : uses) {
    use.memory = m;
    use.peak = model::saturating_add(use.peak, use.block);
    use.budget = budget_of(m, topology, budget);
    list.push_back(use);
  }
  return list;
}

}  // namespace pianola::planner
