// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/owned_allocations.hpp"

namespace pianola::recorder {

std::vector<char> owned_allocations::over_by(const std::vector<char>& past, unsigned pool) const {
  std::vector<char> over;
  for (const entry& a : entries_)
    if (a.pool == pool)
      over.push_back(a.dropped || (a.died.valid() && past[a.died.value()] != 0) ? 1 : 0);
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

}  // namespace pianola::recorder
