// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace pianola::runtime {

// Which of a queue's commands are searched for repetitions: all of them at first; where nothing is found, stretches that are
// a sixteenth of them. What repeats itself has to come about three times within a stretch to be captured, so that stretches become
// longer, up to what the longest repetitions need, and then short again, for those that last less long.
class search_pace {
 public:
  static constexpr std::uint32_t at_first = 1U << 14, shortest = 1U << 8, longest = 1U << 14;
  // Commands that are not searched, for each that is.
  static constexpr std::uint32_t rests_per_search = 15;

  [[nodiscard]] bool is_searching() const noexcept { return searching_; }
  // One more command that is not held back. `busy`: a stretch that would end goes on.
  void advance(bool busy) noexcept {
    if (left_ > 0) {
      --left_;
      return;
    }
    if (searching_ && busy) return;
    if (searching_) {
      left_ = rests_per_search * length_ - 1;
    } else {
      left_ = length_ - 1;
      length_ = length_ == longest ? shortest : 2 * length_;
    }
    searching_ = !searching_;
  }
  // Something repeats itself.
  void start_over() noexcept { *this = {}; }

 private:
  bool searching_ = true;
  std::uint32_t left_ = at_first;
  std::uint32_t length_ = shortest;  // of the stretch that comes next
};

}  // namespace pianola::runtime
