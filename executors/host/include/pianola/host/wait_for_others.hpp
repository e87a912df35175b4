// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <thread>

#include "clock.hpp"
#include "team.hpp"

namespace pianola::host {

// Waits in turns for what other threads of the team are in the middle of: on the processor for about as long as that
// should take, then in short naps, as the others may need the processor. A wait that is much longer makes the team suspect
// that its threads are held off their processors.
class wait_for_others {
 public:
  // Nothing but pauses before so many rounds.
  static constexpr unsigned short_rounds = 256;

  explicit wait_for_others(team& home) noexcept : home_(home) {}

  [[nodiscard]] unsigned rounds() const noexcept { return rounds_; }

  // `expected`: returns the nanoseconds that what is waited for should take at most; negative: unknown.
  template <class F>
  void turn(F&& expected) noexcept {
    if (++rounds_ < short_rounds) {
      pause();
      return;
    }
    if (rounds_ == short_rounds) {
      begin_ = nanoseconds_now();
      expected_ = expected();
      on_processor_ = home_.risk() != 0 ? 0
                      : expected_ < 0   ? unknown_nanoseconds
                                        : static_cast<std::uint64_t>(1.5 * expected_) + some_more;
    } else if (asleep_ || ((rounds_ & 15U) == 0 && nanoseconds_now() - begin_ >= on_processor_)) {
      asleep_ = true;
      std::this_thread::sleep_for(nap);
    } else {
      pause();
    }
  }

  // What was waited for has happened; the next wait is another one.
  void over() noexcept {
    if (rounds_ >= short_rounds && expected_ >= 0) {
      const std::uint64_t waited = nanoseconds_now() - begin_;
      if (waited > static_cast<std::uint64_t>(2 * expected_) + suspicious) home_.suspect(waited);
    }
    rounds_ = 0;
    asleep_ = false;
  }

 private:
  static constexpr std::uint64_t some_more = 20'000;
  static constexpr std::uint64_t unknown_nanoseconds = 200'000;
  static constexpr std::uint64_t suspicious = 300'000;
  static constexpr std::chrono::microseconds nap{50};

  team& home_;
  unsigned rounds_ = 0;
  bool asleep_ = false;
  std::uint64_t begin_ = 0;
  std::uint64_t on_processor_ = 0;
  double expected_ = 0;
};

}  // namespace pianola::host
