// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// Per-lane clocks: for a step, how far each lane must have come when the step starts or, once the
// step has its lane, is finished. Steps of a lane run in order, so one number per lane says it all:
// a step is an ancestor exactly if its lane's clock has reached its position.
//
// Clocks are 32-bit ticks relative to where a lane stood when the window met it; 0 says nothing is
// known. Only lanes that the window meets, as those of its steps and of what these wait for, have a
// column: what a row costs does not follow from how many lanes there are. A row holds the columns
// that there were when it was written; what is missing is 0. Of steps of earlier windows only their
// own lane and position are known, not what they had waited for.
class lane_clocks {
 public:
  lane_clocks(window& window, const planning_state::implementation& state)
      : window_(window), state_(state) {}

  void start() {
    window_.clocks.clear();
    window_.first_clock.assign(1, 0);
    window_.columns.clear();
    window_.origins.clear();
  }

  struct place {
    std::uint32_t column;
    std::uint32_t tick;
  };
  // Gives the lane a column if it has none, for which the working row has room.
  [[nodiscard]] place at(std::uint32_t lane, std::uint64_t position) {
    std::uint32_t column = window_.columns.find(lane);
    if (column == lane_numbers::none) column = new_column(lane);
    return {column, tick(column, position)};
  }
  // These two expect that the node has its column.
  [[nodiscard]] place before(const node& n) const noexcept {
    return {n.column, tick(n.column, n.position - 1)};
  }
  [[nodiscard]] place place_of(std::uint64_t step) {
    if (step >= window_.first) {
      const node& n = window_.nodes[step - window_.first];
      return {n.column, tick(n.column, n.position)};
    }
    const step_ring::place& p = state_.steps.at(step);
    return at(p.lane, p.position);
  }

  // The working row, with room for so many new columns.
  void clear_row(std::size_t room) { row_.assign(window_.columns.size() + room, 0); }
  [[nodiscard]] bool reached(const place& p) const noexcept { return row_[p.column] >= p.tick; }
  [[nodiscard]] bool reached(std::uint32_t lane, std::uint64_t position) const noexcept {
    const std::uint32_t column = window_.columns.find(lane);
    return column != lane_numbers::none && row_[column] >= tick(column, position);
  }
  void raise(const place& p) noexcept { row_[p.column] = std::max(row_[p.column], p.tick); }
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
    const std::uint32_t* const from = row_.data();
    window_.clocks.insert(window_.clocks.end(), from, from + window_.columns.size());
    window_.first_clock.push_back(window_.clocks.size());
  }

 private:
  // Apart, so that the way of most calls stays short.
  [[gnu::noinline]] std::uint32_t new_column(std::uint32_t lane) {
    window_.origins.push_back(state_.lanes[lane].length);
    return window_.columns.add_new(lane);
  }
  [[nodiscard]] std::uint32_t tick(std::uint32_t column, std::uint64_t position) const noexcept {
    const std::uint64_t origin = window_.origins[column];
    constexpr std::uint64_t middle = std::uint64_t{1} << 31;
    return position + middle <= origin ? 1 : static_cast<std::uint32_t>(position + middle - origin);
  }

  window& window_;
  const planning_state::implementation& state_;
  std::vector<std::uint32_t>& row_ = window_.row;
};

}  // namespace pianola::planner
