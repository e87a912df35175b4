// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace pianola::host {

inline std::uint64_t nanoseconds_now() noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A time that passes while its owner looks: what is longer than a look should take (the machine stood still, or had no
// processor for the process) counts for little.
class patience {
 public:
  explicit patience(std::uint64_t nanoseconds) noexcept
      : left_(nanoseconds), before_(nanoseconds_now()) {}
  // What is left of it, at most that of one look.
  [[nodiscard]] std::uint64_t look() noexcept {
    const std::uint64_t now = nanoseconds_now();
    left_ -= std::min(left_, std::min(now - before_, longest_look));
    before_ = now;
    return std::min(left_, longest_look);
  }

 private:
  static constexpr std::uint64_t longest_look = 10'000'000;
  std::uint64_t left_;
  std::uint64_t before_;
};

}  // namespace pianola::host
