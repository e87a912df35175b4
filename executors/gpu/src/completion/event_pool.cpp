// SPDX-License-Identifier: Apache-2.0
#include "completion/event_pool.hpp"

namespace pianola::gpu {

code event_pool::take(bool with_time, event& out) noexcept {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& spare = free_[with_time ? 1 : 0];
    if (!spare.empty()) {
      out = spare.back();
      spare.pop_back();
      return success;
    }
  }
  const code c = driver_.make_event(device_, with_time, out);
  if (c == success) made_.fetch_add(1, std::memory_order_relaxed);
  return c;
}

void event_pool::give(bool with_time, event e) noexcept {
  if (e.native == nullptr) return;
  try {
    std::lock_guard<std::mutex> lock(mutex_);
    free_[with_time ? 1 : 0].push_back(e);
  } catch (...) {
    driver_.destroy(device_, e);
  }
}

void event_pool::destroy_all() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& spare : free_) {
    for (const event e : spare) driver_.destroy(device_, e);
    spare.clear();
  }
}

}  // namespace pianola::gpu
