// SPDX-License-Identifier: Apache-2.0
#include "data/pointer_registry.hpp"

#include <cstdint>
#include <iterator>
#include <mutex>

namespace pianola::runtime {

pointer_registry& pointer_registry::instance() {
  static pointer_registry& one = *new pointer_registry();  // outlives static buffers
  return one;
}

void pointer_registry::add(void* base, std::size_t bytes, usm_kind kind, model::device_id device,
                           allocation_use use, std::size_t padding) {
  const bool of_program = use == allocation_use::program;
  std::unique_lock lock(mutex_);
  entry& e = entries_[base];
  e = {bytes == 0 ? 1 : bytes, kind, device, use, of_program ? ++serials_ : 0, padding};
  if (of_program && observer_ != nullptr) [[unlikely]]
    observer_->allocated({kind, device, base, e.bytes, e.serial});
}

void pointer_registry::tell(allocation_observer* observer) noexcept {
  std::unique_lock lock(mutex_);
  observer_ = observer;
}

bool pointer_registry::keeps_freed_memory() noexcept {
  const std::shared_lock lock(mutex_);
  return observer_ != nullptr && observer_->wants_freed_memory_kept();
}

bool pointer_registry::add_borrowed(void* base, std::size_t bytes, model::device_id host) {
  bool alone = true;
  {
    const std::shared_lock lock(mutex_);
    const auto there = containing(base);
    if (there != entries_.end()) return there->second.use != allocation_use::buffer;
    const auto behind = entries_.upper_bound(base);
    alone = behind == entries_.end() || behind->second.use != allocation_use::buffer ||
            behind->first >= static_cast<const char*>(base) + bytes;
  }
  add(base, bytes, usm_kind::host, host, allocation_use::buffer);
  return alone;
}

void pointer_registry::remove_borrowed(void* base) noexcept {
  if (!is_user_allocation(base)) remove(base);
}

pointer_query pointer_registry::remove(void* base) noexcept {
  std::unique_lock lock(mutex_);
  const auto it = entries_.find(base);
  if (it == entries_.end()) return {};
  const pointer_query q{it->second.kind, it->second.device, base, it->second.bytes};
  if (it->second.use == allocation_use::program && observer_ != nullptr) [[unlikely]]
    observer_->freed(it->second.serial);
  entries_.erase(it);
  return q;
}

auto pointer_registry::containing(const void* pointer) const noexcept
    -> std::map<const void*, entry>::const_iterator {
  auto it = entries_.upper_bound(pointer);
  if (it == entries_.begin()) return entries_.end();
  --it;
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) -
                                               static_cast<const char*>(it->first));
  return offset < it->second.bytes ? it : entries_.end();
}

pointer_query pointer_registry::find(const void* pointer) const noexcept {
  std::shared_lock lock(mutex_);
  const auto it = containing(pointer);
  if (it == entries_.end()) return {};
  return {it->second.kind, it->second.device, it->first, it->second.bytes};
}

user_allocation pointer_registry::find_user(const void* pointer) const noexcept {
  std::shared_lock lock(mutex_);
  const auto it = containing(pointer);
  if (it == entries_.end() || it->second.use != allocation_use::program) return {};
  const entry& e = it->second;
  return {e.kind, e.device, it->first, e.bytes, e.serial};
}

pointer_registry::buffer_storage pointer_registry::find_buffer_storage(
    const void* pointer) const noexcept {
  const auto number = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  std::shared_lock lock(mutex_);
  const auto after = entries_.upper_bound(pointer);
  buffer_storage found;
  found.other_end = after == entries_.end() ? UINTPTR_MAX : number(after->first);
  if (after == entries_.begin()) return found;
  const auto& [begin, e] = *std::prev(after);
  const std::size_t offset = number(pointer) - number(begin);
  if (e.use != allocation_use::buffer) {
    found.other_begin = number(begin);
  } else if (offset >= e.bytes + e.padding) {
    found.other_begin = number(begin) + e.bytes + e.padding;
  } else {
    found = {begin, offset < e.bytes, 0, 0};
  }
  return found;
}

bool pointer_registry::is_user_allocation(void* base) const noexcept {
  std::shared_lock lock(mutex_);
  const auto it = entries_.find(base);
  return it != entries_.end() && it->second.use == allocation_use::program;
}

}  // namespace pianola::runtime
