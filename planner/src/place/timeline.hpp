// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace pianola::planner::place {

// When a device or a link is busy. One thing at a time; what comes later in the order of planning may still go into a gap
// that earlier ones have left. The last few gaps are kept: older ones are hardly ever met.
class timeline {
 public:
  // The earliest start from `ready` on of something that takes `length`.
  [[nodiscard]] double find(double ready, double length) const noexcept {
    if (ready >= end_) return ready;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const double start = std::max(gaps_[i].from, ready);
      if (start + length <= gaps_[i].to) return start;
    }
    return std::max(end_, ready);
  }

  // Takes [start, start + length), which `find` has found.
  void take(double start, double length) noexcept {
    busy_ += length;
    if (start >= end_) {
      if (start > end_) add({end_, start});
      end_ = start + length;
      return;
    }
    for (std::uint32_t i = 0; i < count_; ++i) {
      gap& g = gaps_[i];
      if (start < g.from || start + length > g.to) continue;
      const gap rest{start + length, g.to};
      if (start > g.from) {
        g.to = start;
        if (rest.to > rest.from) insert(i + 1, rest);
      } else if (rest.to > rest.from) {
        g = rest;
      } else {
        std::copy(gaps_ + i + 1, gaps_ + count_, gaps_ + i);
        --count_;
      }
      return;
    }
  }

  [[nodiscard]] double end() const noexcept { return end_; }
  [[nodiscard]] double busy() const noexcept { return busy_; }

 private:
  static constexpr std::uint32_t kept = 8;
  struct gap {
    double from, to;
  };
  void add(const gap& g) noexcept { insert(count_, g); }
  // The oldest goes where there is no room.
  void insert(std::uint32_t at, const gap& g) noexcept {
    if (count_ == kept) {
      if (at == 0) return;
      std::copy(gaps_ + 1, gaps_ + count_, gaps_);
      --count_;
      --at;
    }
    std::copy_backward(gaps_ + at, gaps_ + count_, gaps_ + count_ + 1);
    gaps_[at] = g;
    ++count_;
  }

  double end_ = 0;
  double busy_ = 0;
  std::uint32_t count_ = 0;
  gap gaps_[kept];
};

}  // namespace pianola::planner::place
