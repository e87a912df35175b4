// SPDX-License-Identifier: Apache-2.0
#include "failures.hpp"

#include <algorithm>
#include <utility>

namespace pianola::runtime {

const failure_registry::entry* failure_registry::find(model::buffer_id buffer,
                                                      std::uint32_t generation,
                                                      const model::box& elements,
                                                      model::memory_id memory,
                                                      model::step_id step) const noexcept {
  for (const entry& e : entries_)
    if (e.buffer == buffer && e.generation == generation && (e.poisoned || step < e.known_at) &&
        (e.affected & planner::mask_of(memory)) != 0 && overlap(e.elements, elements))
      return &e;
  return nullptr;
}

void failure_registry::add(entry e) { entries_.push_back(std::move(e)); }

void failure_registry::clear(model::buffer_id buffer, std::uint32_t generation,
                             const model::box& elements) {
  std::vector<entry> kept;
  for (entry& e : entries_) {
    if (e.buffer != buffer || e.generation != generation || !overlap(e.elements, elements)) {
      kept.push_back(std::move(e));
      continue;
    }
    for_each_difference(e.elements, elements, [&](const model::box& rest) {
      kept.push_back(e);
      kept.back().elements = rest;
    });
  }
  entries_ = std::move(kept);
}

void failure_registry::forget_buffer(model::buffer_id buffer, std::uint32_t generation) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const entry& e) {
                                  return e.buffer == buffer && e.generation == generation;
                                }),
                 entries_.end());
}

void failure_registry::retire_below(model::step_id step) noexcept {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const entry& e) { return !e.poisoned && e.known_at <= step; }),
                 entries_.end());
}

}  // namespace pianola::runtime
