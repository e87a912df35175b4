// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pianola::planner {

// Numbers the lanes that something meets, from 0 on in the order in which they are added. Every
// function costs the same however many lanes there are: each access by the host that goes on has one.
class lane_numbers {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  void clear() noexcept { lanes_.clear(); }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(lanes_.size());
  }
  // `none` if it was not added.
  [[nodiscard]] std::uint32_t find(std::uint32_t lane) const noexcept {
    if (lane >= number_.size()) return none;
    // What was written before the last `clear` may be anything, so the list has the say.
    const std::uint32_t n = number_[lane];
    return n < lanes_.size() && lanes_[n] == lane ? n : none;
  }
  // Whether it is new.
  bool add(std::uint32_t lane) {
    if (find(lane) != none) return false;
    add_new(lane);
    return true;
  }
  // Of a lane that was not added; its number.
  std::uint32_t add_new(std::uint32_t lane) {
    if (lane >= number_.size()) number_.resize(std::size_t{lane} + 1);
    const std::uint32_t n = size();
    lanes_.push_back(lane);
    number_[lane] = n;
    return n;
  }

 private:
  std::vector<std::uint32_t> lanes_;   // index: number
  std::vector<std::uint32_t> number_;  // index: lane
};

}  // namespace pianola::planner
