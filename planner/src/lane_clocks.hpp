// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "state.hpp"
#include "window.hpp"

namespace pianola::planner {

// Per-lane clocks: for a step, how far each lane must have come when the step starts or, once the
// step has its lane, is finished. Steps of a lane run in order, so one number per lane says it all:
// a step is an ancestor exactly if its lane's clock has reached its position.
//
// Clocks are 32-bit ticks relative to where a lane stood when the window began; 0 says nothing is
// known. A row holds the lanes that existed when it was written; what is missing is 0. Of steps of
// earlier windows only their own lane and position are known, not what they had waited for.
class lane_clocks {
 public:
  lane_clocks(window& window, const planning_state::implementation& state)
      : window_(window), state_(state) {}

  void start() {
    window_.clocks.clear();
    window_.first_clock.assign(1, 0);
    window_.origins.resize(state_.lanes.size());
    for (std::size_t l = 0; l < state_.lanes.size(); ++l)
      window_.origins[l] = state_.lanes[l].length;
  }

  [[nodiscard]] std::uint32_t tick(std::uint32_t lane, std::uint64_t position) const noexcept {
    const std::uint64_t origin = lane < window_.origins.size() ? window_.origins[lane] : 0;
    constexpr std::uint64_t middle = std::uint64_t{1} << 31;
    return position + middle <= origin ? 1 : static_cast<std::uint32_t>(position + middle - origin);
  }

  struct place {
    std::uint32_t lane;
    std::uint32_t tick;
  };
  [[nodiscard]] place place_of(std::uint64_t step) const noexcept {
    if (step >= window_.first) {
      const node& n = window_.nodes[step - window_.first];
      return {n.lane, tick(n.lane, n.position)};
    }
    const step_ring::place& p = state_.steps.at(step);
    return {p.lane, tick(p.lane, p.position)};
  }

  // The working row.
  void clear_row() { row_.assign(state_.lanes.size(), 0); }
  void widen_row() { row_.resize(state_.lanes.size(), 0); }
  [[nodiscard]] bool reached(const place& p) const noexcept { return row_[p.lane] >= p.tick; }
  void raise(const place& p) noexcept { row_[p.lane] = std::max(row_[p.lane], p.tick); }
  // Adds the step and everything known to be finished before it.
  void merge(std::uint64_t step, const place& p) noexcept {
    if (step >= window_.first) {
      const std::size_t i = step - window_.first;
      const std::uint32_t* from = window_.clocks.data() + window_.first_clock[i];
      const std::size_t n = window_.first_clock[i + 1] - window_.first_clock[i];
      std::uint32_t* to = row_.data();
      for (std::size_t l = 0; l < n; ++l) to[l] = to[l] < from[l] ? from[l] : to[l];
    } else {
      raise(p);
    }
  }
  // Makes the working row that of the next node.
  void store_row() {
    window_.clocks.insert(window_.clocks.end(), row_.begin(), row_.end());
    window_.first_clock.push_back(window_.clocks.size());
  }

 private:
  window& window_;
  const planning_state::implementation& state_;
  std::vector<std::uint32_t>& row_ = window_.marks;
};

}  // namespace pianola::planner
