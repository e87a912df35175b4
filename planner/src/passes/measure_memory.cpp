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

#include "memory/held_copies.hpp"
#include "pianola/planner/memory_uses.hpp"
#include "pianola/planner/share_storage.hpp"
#include "state/window.hpp"

namespace pianola::planner {

using model::buffer_id;
using model::memory_id;

namespace {

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
  out.memories = memory_uses(commands, buffers, topology, out, options.memory_budget);
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
  const std::vector<held_copy> places = held_copies(commands, topology, measured);
  const std::map<memory_id, allocated_bytes> allocated = allocated_by(commands);
  room.resize(topology.memories.size(), window::unlimited);
  for (const memory_use& u : measured.memories) {
    if (!exceeds(u)) continue;
    std::vector<buffer_id> fixed;
    const auto own = allocated.find(u.memory);
    std::uint64_t bytes = own == allocated.end() ? 0 : own->second.taken;
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
