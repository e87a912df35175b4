// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <pianola/recorder/return_watch.hpp>

namespace pianola::runtime {

// Which of a queue's commands are searched for repetitions: all of them at first; where nothing is found, stretches of them
// when there are signs that something repeats itself. For each length of what there are signs of, stretches are a 64th of all
// commands at most, so that a program whose signs come to nothing loses little.
class search_pace {
 public:
  static constexpr std::uint32_t at_first = 1U << 14;
  // Commands that are not searched, for each that is; by each of the watch's levels.
  static constexpr std::uint64_t rests_per_search = 63;
  // A repetition is captured when it comes for the third time.
  static constexpr std::uint32_t stretch_for(std::uint32_t apart) noexcept {
    return 3 * apart + 64;
  }

  [[nodiscard]] bool is_searching() const noexcept { return searching_; }
  // One more command that is not held back. `busy`: a stretch that would end goes on. `key`: equal for commands that may be
  // the same one of a repetition.
  void advance(bool busy, std::uint8_t key) noexcept {
    if (searching_) {
      if (left_ > 0)
        --left_;
      else if (!busy)
        searching_ = false;
      return;
    }
    if (watch_.add(key)) [[unlikely]]
      begin(watch_.latest_sign());
  }
  // Something repeats itself.
  void start_over() noexcept { *this = {}; }

 private:
  void begin(const recorder::return_watch::sign& sign) noexcept {
    const std::uint32_t stretch =
        stretch_for(std::min(sign.apart, recorder::return_watch::longest));
    std::uint64_t& free_from = free_from_[sign.level];
    if (watch_.count() < free_from) return;
    free_from = watch_.count() + rests_per_search * stretch;
    left_ = stretch;
    searching_ = true;
  }

  bool searching_ = true;
  std::uint32_t left_ = at_first;
  // By the count of the watch, which are the commands that were not searched.
  std::array<std::uint64_t, recorder::return_watch::levels> free_from_{};
  recorder::return_watch watch_;
};

}  // namespace pianola::runtime
