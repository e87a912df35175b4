// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace pianola::gpu {

// Memory of the host that the driver copies to and from by itself, without the thread that asks for it. Of all other
// memory, what the program has locked itself included, it is assumed that the driver copies it before the call returns.
class locked_pages {
 public:
  void add(const void* start, std::size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    ranges_[reinterpret_cast<std::uintptr_t>(start)] = bytes;
  }
  void remove(const void* start) noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    ranges_.erase(reinterpret_cast<std::uintptr_t>(start));
  }
  [[nodiscard]] bool has(const void* start, std::size_t bytes) const noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(start);
    std::lock_guard<std::mutex> lock(mutex_);
    auto at = ranges_.upper_bound(first);
    if (at == ranges_.begin()) return false;
    --at;
    return first - at->first <= at->second && bytes <= at->second - (first - at->first);
  }
  // How many of these bytes, from the first one on, are locked together, or not at all.
  [[nodiscard]] std::size_t alike(const void* start, std::size_t bytes) const noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(start);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto next = ranges_.upper_bound(first);
    if (next != ranges_.begin()) {
      const auto& [begin, all] = *std::prev(next);
      if (first - begin < all) return std::min(bytes, all - (first - begin));
    }
    return next == ranges_.end() ? bytes : std::min<std::size_t>(bytes, next->first - first);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> ranges_;  // bytes, by start
};

}  // namespace pianola::gpu
