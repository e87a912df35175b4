// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/owned_allocations.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include <pianola/model/saturating.hpp>

namespace pianola::recorder {

namespace {

constexpr std::uint64_t alignment = 256;  // at which allocations begin

}  // namespace

std::vector<char> owned_allocations::over_by(const std::vector<char>& past, unsigned pool) const {
  std::vector<char> over;
  for (const entry& a : entries_)
    if (a.pool == pool)
      over.push_back(
          a.dropped || a.over || (!a.kept && a.died.valid() && past[a.died.value()] != 0) ? 1 : 0);
  return over;
}

const owned_allocations::entry* owned_allocations::find(const void* pointer,
                                                        bool& freed) const noexcept {
  freed = false;
  // The latest first: who lives there now came last.
  for (auto a = entries_.rbegin(); a != entries_.rend(); ++a) {
    if (a->pointer != pointer || !a->born.valid()) continue;
    if (!a->died.valid()) return &*a;
    freed = true;
  }
  return nullptr;
}

owned_allocations::entry* owned_allocations::of_name(std::uint64_t name) noexcept {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

bool owned_allocations::begin(std::uint64_t name, model::command_id by) noexcept {
  entry* const a = of_name(name);
  if (a == nullptr || a->born.valid() || a->dropped) return false;
  a->born = by;
  return true;
}

bool owned_allocations::end(std::uint64_t name, model::command_id by) noexcept {
  entry* const a = of_name(name);
  if (a == nullptr || a->died.valid()) return false;
  a->died = by;
  return true;
}

void owned_allocations::drop(std::uint64_t name) noexcept {
  entry* const a = of_name(name);
  if (a != nullptr && !a->born.valid()) a->dropped = true;
}

void owned_allocations::begin_anew() noexcept {
  for (entry& a : entries_) {
    if (!a.born.valid() || a.kept) continue;
    a.over = a.died.valid();
    a.kept = !a.over;
  }
}

bool owned_allocations::is_kept(std::uint64_t name) const noexcept {
  const auto found = by_name_.find(name);
  return found != by_name_.end() && entries_[found->second].kept;
}

compact_places::compact_places(model::array_view<const model::command> commands) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;  // from, to
  for (const model::command& c : commands)
    if (const auto* a = std::get_if<model::allocate_command>(&c.payload))
      taken.emplace_back(a->place, model::saturating_add(
                                       a->place, model::saturating_round_up(a->bytes, alignment)));
  std::sort(taken.begin(), taken.end());
  std::uint64_t end = 0, next = 0;  // of the last range, before and after
  for (const auto& [from, to] : taken) {
    if (ranges_.empty() || from >= end) {
      ranges_.emplace_back(from, next);
      end = from;
    }
    if (to > end) {
      next += to - end;
      end = to;
    }
  }
}

std::uint64_t compact_places::operator()(std::uint64_t place) const noexcept {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), std::pair{place, ~std::uint64_t{0}});
  if (after == ranges_.begin()) return place;
  const auto& [before, now] = *std::prev(after);
  return now + (place - before);
}

}  // namespace pianola::recorder
