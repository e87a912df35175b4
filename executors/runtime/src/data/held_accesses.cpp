// SPDX-License-Identifier: Apache-2.0
#include "data/held_accesses.hpp"

#include <new>
#include <utility>

namespace pianola::runtime {

void held_accesses::add(const entry& e) noexcept {
  place_of_[e.lane.value()] = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(e);
  count_.store(entries_.size(), std::memory_order_relaxed);
}

void held_accesses::remove(model::lane_id lane) noexcept {
  const entry* e = find(lane);
  if (e == nullptr) return;
  in_the_way_.erase({e->thread, lane});
  const std::uint32_t place = std::exchange(place_of_[lane.value()], nowhere);
  if (place + 1 != entries_.size()) {
    entries_[place] = entries_.back();
    place_of_[entries_[place].lane.value()] = place;
  }
  entries_.pop_back();
  count_.store(entries_.size(), std::memory_order_relaxed);
}

void held_accesses::put_in_the_way(model::lane_id lane) noexcept {
  const entry* e = find(lane);
  if (e == nullptr) return;
  try {
    in_the_way_.emplace(e->thread, lane);
  } catch (const std::bad_alloc&) {
    // Only a hint would tell of it.
  }
}

void held_accesses::put_inside(model::lane_id inner, model::lane_id outer) {
  inside_.emplace(outer, inner);
  ++entry_of(inner)->outers;
}

const held_accesses::entry* held_accesses::find(model::lane_id lane) const noexcept {
  if (lane.value() >= place_of_.size() || place_of_[lane.value()] == nowhere) return nullptr;
  return &entries_[place_of_[lane.value()]];
}

held_accesses::entry* held_accesses::entry_of(model::lane_id lane) noexcept {
  return const_cast<entry*>(std::as_const(*this).find(lane));
}

std::optional<model::lane_id> held_accesses::end_one(model::lane_id lane) noexcept {
  entry* e = entry_of(lane);
  ++looked_at;
  if (e != nullptr && e->outers != 0) {
    e->ended = true;
    return std::nullopt;
  }
  remove(lane);
  const auto [first, last] = inside_.equal_range(lane);
  for (auto it = first; it != last; ++it) {
    entry& inner = *entry_of(it->second);
    ++looked_at;
    if (--inner.outers == 0 && inner.ended) over_.push_back(it->second);
  }
  inside_.erase(first, last);
  return lane;
}

std::optional<model::lane_id> held_accesses::next_over() noexcept {
  if (over_.empty()) return std::nullopt;
  const model::lane_id lane = over_.back();
  over_.pop_back();
  return end_one(lane);
}

}  // namespace pianola::runtime
