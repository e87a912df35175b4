// SPDX-License-Identifier: Apache-2.0
#include "measure_memory.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/saturating.hpp>

#include "pianola/planner/share_storage.hpp"
#include "state/window.hpp"

namespace pianola::planner {

using model::buffer_id;
using model::memory_id;

namespace {

using held_copy = std::pair<memory_id, buffer_id>;

// Where buffers are for any of the plan's steps or at its start; sorted.
std::vector<held_copy> places_of(model::array_view<const model::command> commands,
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
    for (std::uint16_t m = 0; m < topology.memories.size(); ++m)
      if ((e.memories >> m & 1) != 0) places.emplace_back(memory_id(m), e.buffer);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// Bytes that the commands allocate themselves, by memory: where their allocations share room, it counts once.
std::map<memory_id, std::uint64_t> allocated_by(model::array_view<const model::command> commands) {
  std::map<memory_id, std::vector<std::pair<std::uint64_t, std::uint64_t>>> ranges;
  for (const model::command& c : commands)
    if (const auto* a = std::get_if<model::allocate_command>(&c.payload))
      ranges[a->memory].emplace_back(a->place,
                                     model::saturating_add(a->place, slot_bytes(a->bytes)));
  std::map<memory_id, std::uint64_t> bytes;
  for (auto& [memory, list] : ranges) {
    std::sort(list.begin(), list.end());
    std::uint64_t end = 0, sum = 0;
    for (const auto& [from, to] : list) {
      if (to <= end) continue;
      sum = model::saturating_add(sum, to - std::max(from, end));
      end = to;
    }
    bytes[memory] = sum;
  }
  return bytes;
}

std::uint64_t budget_of(memory_id m, const model::topology& topology, const options& wanted) {
  if (m == model::host_memory) return 0;
  const std::uint64_t there_is = topology.memories[m.value()].bytes;
  if (there_is == 0 || wanted.memory_budget == 0) return std::max(there_is, wanted.memory_budget);
  return std::min(there_is, wanted.memory_budget);
}

[[noreturn]] void refuse(memory_id m, std::vector<buffer_id> fixed, std::uint64_t fixed_bytes,
                         std::uint64_t budget, model::array_view<const model::buffer_info> buffers,
                         const model::topology& topology, const options& wanted) {
  std::sort(fixed.begin(), fixed.end(), [&](buffer_id a, buffer_id b) {
    return std::make_pair(buffers[b.value()].bytes(), a) <
           std::make_pair(buffers[a.value()].bytes(), b);
  });
  constexpr std::size_t named = 3;
  std::string largest;
  for (std::size_t i = 0; i < std::min(named, fixed.size()); ++i)
    largest += fmt::format("{}{} with {}", i == 0 ? "" : ", ", wanted.name_of(fixed[i]),
                           buffers[fixed[i].value()].bytes());
  throw model::user_error(
      model::error_code::memory_allocation,
      fmt::format("the graph needs {} bytes in memory '{}' for {} buffers that may not leave it "
                  "and for what its commands allocate, and its budget is {} bytes{}. Give buffers "
                  "property::buffer::evictable or property::buffer::temporary, or use smaller ones",
                  fixed_bytes, formats::one_line(topology.memories[m.value()].name, 48),
                  fixed.size(), budget,
                  largest.empty() ? "" : fmt::format("; the largest are {} bytes", largest)));
}

}  // namespace

void measure_memory(model::array_view<const model::command> commands,
                    model::array_view<const model::buffer_info> buffers,
                    const model::topology& topology, const options& options, plan& out) {
  std::map<memory_id, memory_use> uses;
  for (const auto& [m, bytes] : allocated_by(commands)) uses[m].peak = bytes;
  for (const held_copy& p : places_of(commands, topology, out)) {
    const std::uint64_t bytes = buffers[p.second.value()].bytes();
    memory_use& u = uses[p.first];
    std::uint64_t& sum = out.has_slots(p.second, p.first) ? u.apart : u.peak;
    sum = model::saturating_add(sum, bytes);
  }
  for (const storage_slot& s : out.slots) {
    memory_use& u = uses[s.memory];
    u.block = std::max(
        u.block, model::saturating_add(s.offset, slot_bytes(buffers[s.buffer.value()].bytes())));
  }
  for (auto& [m, use] : uses) {
    use.memory = m;
    use.peak = model::saturating_add(use.peak, use.block);
    use.budget = budget_of(m, topology, options);
    out.memories.push_back(use);
  }
}

namespace {

bool exceeds(const memory_use& u) { return u.budget != 0 && u.peak > u.budget; }

// Places beyond what 64 bits can count would lie over each other.
void refuse_endless(const memory_use& u, const model::topology& topology) {
  if (model::saturating_add(u.block, 1) == u.block)
    throw model::user_error(
        model::error_code::memory_allocation,
        fmt::format("buffers that share storage in memory '{}' need more than 2^64 bytes at a "
                    "time; use smaller ones",
                    formats::one_line(topology.memories[u.memory.value()].name, 48)));
}

}  // namespace

bool fits(const plan& measured) {
  return std::none_of(measured.memories.begin(), measured.memories.end(), exceeds);
}

bool shrink_room(model::array_view<const model::command> commands,
                 model::array_view<const model::buffer_info> buffers,
                 const model::topology& topology, const options& options, const plan& measured,
                 std::vector<std::uint64_t>& room) {
  if (fits(measured)) {
    for (const memory_use& u : measured.memories) refuse_endless(u, topology);
    return false;
  }
  const std::vector<held_copy> places = places_of(commands, topology, measured);
  const std::map<memory_id, std::uint64_t> allocated = allocated_by(commands);
  room.resize(topology.memories.size(), window::unlimited);
  for (const memory_use& u : measured.memories) {
    if (!exceeds(u)) continue;
    std::vector<buffer_id> fixed;
    const auto own = allocated.find(u.memory);
    std::uint64_t bytes = own == allocated.end() ? 0 : own->second;
    bool leaves = false;
    for (const held_copy& p : places) {
      if (p.first != u.memory) continue;
      const model::buffer_info& b = buffers[p.second.value()];
      if (b.temporary || b.evictable) {
        leaves = true;
        continue;
      }
      fixed.push_back(p.second);
      bytes = model::saturating_add(bytes, b.bytes());
    }
    if (bytes > u.budget || !leaves)
      refuse(u.memory, std::move(fixed), bytes, u.budget, buffers, topology, options);
    room[u.memory.value()] = (u.budget - bytes) / slot_alignment * slot_alignment;
  }
  return true;
}

}  // namespace pianola::planner
