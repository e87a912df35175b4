// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace pianola::recorder {

// Finds that a sequence of numbers repeats itself, while it grows. A number takes constant time and no memory: so many of
// the last ones are known as two periods of the longest kind have.
//
// The distance to where some of the last numbers were seen before is a candidate for a period: of one, eight, 64 and 512 of
// them, since in a sequence that repeats itself some of them occur once in each repetition. Whether what is so far apart is
// equal, hashes of prefixes tell at once, and before it is reported the numbers are compared.
class repeat_finder {
 public:
  // Periods are shorter than this, a power of two.
  explicit repeat_finder(std::uint32_t longest = 4096);

  // The period p, if each of the last numbers, at least p of them, is equal to the one p before it; else 0. A period that goes
  // on is reported again after as many numbers, a longer one, of which it is a part, meanwhile.
  std::uint32_t add(std::uint64_t number);

  // From the newest (0) on. Only of those that were added, and no more than twice the longest period.
  [[nodiscard]] std::uint64_t back(std::uint32_t i) const noexcept {
    return numbers_[(count_ - 1 - i) & mask_];
  }
  // What comes is not compared with what was.
  void forget() noexcept {
    first_ = count_;
    followed_ = 0;
  }
  // At least so many numbers have to be repeats of others before a period is reported.
  void ask_for(std::uint32_t repeated) noexcept { least_ = repeated; }

 private:
  struct place {
    std::uint32_t tag = 0;
    std::uint32_t end = 0;  // of what was seen there, counted
  };
  static constexpr std::array<std::uint32_t, 4> lengths_{1, 8, 64, 512};
  static constexpr std::array<std::uint32_t, 4> samples_{0, 0, 0, 7};
  // For each length; a newer one takes the place. No container of the library forgets by itself what is old; a
  // std::unordered_map that is emptied when it has so many takes 6 to 26 ns for a number, this table 1 to 7.
  static constexpr std::uint32_t places_ = 2048;

  // Of the numbers [end - length, end).
  [[nodiscard]] std::uint64_t hash_of(std::uint64_t end, std::uint32_t length) const noexcept {
    return prefixes_[end & mask_] - prefixes_[(end - length) & mask_] * powers_[length];
  }
  [[nodiscard]] std::uint32_t repeated_for(std::uint32_t period) const noexcept;
  [[nodiscard]] bool repeats(std::uint32_t period) const noexcept;
  [[nodiscard]] bool is_certain(std::uint32_t period) const noexcept;
  // The last numbers are equal to those so far before them, if not for long enough yet.
  void follow(std::uint32_t period) noexcept;

  std::uint32_t longest_;
  std::uint64_t mask_;
  std::uint64_t count_ = 0, first_ = 0;
  // Until then no period is reported that is not longer than `quiet_`.
  std::uint64_t quiet_until_ = 0;
  std::uint32_t quiet_ = 0;
  std::uint32_t least_ = 0;
  // A period that something may have: so many numbers are equal to those before. 0: there is none.
  std::uint32_t followed_ = 0, equal_ = 0;
  std::vector<std::uint64_t> numbers_, prefixes_, powers_;
  std::array<std::vector<place>, lengths_.size()> seen_;
};

}  // namespace pianola::recorder
