// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace pianola::recorder {

// Tells, for a few instructions per number, that a long sequence may have begun to repeat itself: for who would not search
// all of it. Of numbers the last eight are remembered as one word. That word is kept now and then, and looked for: if it comes
// again and again, equally far apart, or in turns, something repeats itself. A word that does not come back for long is given up
// for the one of that moment, and as nobody knows how long that may take, there are four, which wait 64 to 4096 numbers.
//
// A sequence of period p, at most 4096, in which eight numbers in a row come once or twice, is told of before it has come for
// 10 p + 256 numbers.
class return_watch {
 public:
  static constexpr std::size_t levels = 4;
  static constexpr std::uint32_t longest = 4096;

  struct sign {
    std::size_t level;
    std::uint32_t apart;  // of what comes back, or of what comes back in turns
  };

  // One more number. Whether it is a sign that something repeats itself: latest_sign.
  bool add(std::uint8_t number) noexcept {
    last_ = last_ << 8 | number;
    ++count_;
    if (words_[0] != last_ && words_[1] != last_ && words_[2] != last_ && words_[3] != last_ &&
        count_ % horizon_of(0) != 0) [[likely]]
      return false;
    return look();
  }
  [[nodiscard]] const sign& latest_sign() const noexcept { return sign_; }
  // Numbers so far.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  struct kept_word {
    std::uint64_t seen = 0;                     // when
    std::uint32_t before = 0, before_that = 0;  // how far apart it came; 0: it did not
  };
  static constexpr std::uint32_t horizon_of(std::size_t level) noexcept { return 64U << 2 * level; }

  bool look() noexcept {
    bool found = false;
    for (std::size_t i = 0; i < levels; ++i)
      if (words_[i] == last_)
        if (const std::uint32_t apart = come_back(kept_[i]); apart != 0) {
          sign_ = {i, apart};
          found = true;
        }
    if (count_ % horizon_of(0) == 0) give_up();
    return found;
  }
  std::uint32_t come_back(kept_word& k) noexcept {
    const auto apart = static_cast<std::uint32_t>(count_ - k.seen);
    k.seen = count_;
    const std::uint32_t all = apart == k.before        ? apart
                              : apart == k.before_that ? apart + k.before
                                                       : 0;
    k.before_that = k.before;
    k.before = apart;
    if (all != 0) k.before = k.before_that = 0;  // told
    return all;
  }
  void give_up() noexcept {
    for (std::size_t i = 0; i < levels; ++i)
      if (count_ % horizon_of(i) == 0 && count_ - kept_[i].seen >= horizon_of(i)) {
        words_[i] = last_;
        kept_[i] = {count_, 0, 0};
      }
  }

  std::uint64_t last_ = 0, count_ = 0;
  std::array<std::uint64_t, levels> words_{};
  std::array<kept_word, levels> kept_;
  sign sign_{0, 0};
};

}  // namespace pianola::recorder
