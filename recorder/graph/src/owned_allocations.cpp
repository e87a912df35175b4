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
  for (const entry& a : entries_) {
    if (a.pointer != pointer || !a.born.valid()) continue;
    if (!a.died.valid()) return &a;
    freed = true;
  }
  return nullptr;
}

bool owned_allocations::begin(std::uint64_t name, model::command_id by) noexcept {
  for (entry& a : entries_)
    if (a.name == name && !a.born.valid() && !a.dropped) {
      a.born = by;
      return true;
    }
  return false;
}

bool owned_allocations::end(std::uint64_t name, model::command_id by) noexcept {
  for (entry& a : entries_)
    if (a.name == name && !a.died.valid()) {
      a.died = by;
      return true;
    }
  return false;
}

void owned_allocations::drop(std::uint64_t name) noexcept {
  for (entry& a : entries_)
    if (a.name == name && !a.born.valid()) a.dropped = true;
}

}  // namespace pianola::recorder
