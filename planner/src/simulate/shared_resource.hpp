// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace pianola::planner {

// Something that all who use it share evenly: each of k users gets on at 1/k of the speed that it has alone. All of them
// get on alike, so a clock that runs at that speed says when each ends: once it shows what it showed when the user came,
// plus what the user takes alone. So neither coming nor leaving looks at the others.
class shared_resource {
 public:
  // `alone`: seconds. Times never go back.
  void add(double now, std::uint32_t user, double alone) {
    advance(now);
    users_.emplace(clock_ + alone, user);
  }

  [[nodiscard]] bool idle() const noexcept { return users_.empty(); }

  // When the next user ends, if nobody else comes.
  [[nodiscard]] double next_end() const {
    const double left = std::max(0.0, users_.top().first - clock_);
    return now_ + left * static_cast<double>(users_.size());
  }

  // Lets that user go; `now` is next_end().
  std::uint32_t remove_next(double now) {
    advance(now);
    const auto [end, user] = users_.top();
    users_.pop();
    clock_ = std::max(clock_, end);
    return user;
  }

  // Seconds in which it had users.
  [[nodiscard]] double busy() const noexcept { return busy_; }

 private:
  void advance(double now) {
    if (!users_.empty()) {
      clock_ += (now - now_) / static_cast<double>(users_.size());
      busy_ += now - now_;
    } else {
      clock_ = 0;  // so that it stays fine enough however long this goes on
    }
    now_ = now;
  }

  using entry = std::pair<double, std::uint32_t>;  // what the clock shows at the end
  std::priority_queue<entry, std::vector<entry>, std::greater<>> users_;
  double clock_ = 0;
  double now_ = 0;
  double busy_ = 0;
};

}  // namespace pianola::planner
