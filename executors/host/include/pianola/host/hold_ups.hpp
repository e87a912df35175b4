// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

namespace pianola::host {

// For how long a thread may be held off its processor, by what was seen lately. What was lost by waiting for such a
// thread is to be a small part of the time: so long nobody is waited for again that could be as late. Nanoseconds.
class hold_ups {
 public:
  static constexpr std::uint64_t remembered_for = 16;  // times its length
  static constexpr std::uint64_t longest = 100'000'000;

  // 0: nothing was seen. `now`: returns the time; called only if there is something to forget.
  template <class Now>
  [[nodiscard]] std::uint64_t expected(Now&& now) noexcept {
    const std::uint64_t until = until_.load(std::memory_order_relaxed);
    if (until == 0) [[likely]]
      return 0;
    if (now() < until) return length_.load(std::memory_order_relaxed);
    until_.store(0, std::memory_order_relaxed);
    return 0;
  }
  // One of this length has just ended. Of several that are remembered the longest counts.
  void note(std::uint64_t length, std::uint64_t now) noexcept {
    length = std::min(std::max(length, expected([now] { return now; })), longest);
    length_.store(length, std::memory_order_relaxed);
    until_.store(now + remembered_for * length, std::memory_order_relaxed);
  }

 private:
  // A mixture of two notes is as good as either.
  std::atomic<std::uint64_t> until_{0};
  std::atomic<std::uint64_t> length_{0};
};

}  // namespace pianola::host
