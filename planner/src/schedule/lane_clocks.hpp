// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

// The clocks (see clock_rows.hpp) of the steps of a window, which goes on from earlier ones: for a
// step, how far each lane must have come when the step starts or, once the step has its lane, is
// finished.
//
// Ticks are relative to where a lane stood when the window met it. Only lanes that the window meets,
// as those of its steps and of what these wait for, have a column: what a row costs does not follow
// from how many lanes there are. Of steps of earlier windows only their own lane and position are
// known, not what they had waited for.
class lane_clocks {
 public:
  lane_clocks(window& window, const planning_state::implementation& state)
      : window_(window), state_(state) {}

  void start() {
    rows_.clear();
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
  void clear_row(std::size_t room) { rows_.clear_row(window_.columns.size() + room); }
  [[nodiscard]] bool reached(const place& p) const noexcept {
    return rows_.reached(p.column, p.tick);
  }
  [[nodiscard]] bool reached(std::uint32_t lane, std::uint64_t position) const noexcept {
    const std::uint32_t column = window_.columns.find(lane);
    return column != lane_numbers::none && rows_.reached(column, tick(column, position));
  }
  void raise(const place& p) noexcept { rows_.raise(p.column, p.tick); }
  // Adds the step and everything known to be finished before it.
  void merge(std::uint64_t step, const place& p) noexcept {
    if (step >= window_.first)
      rows_.merge(step - window_.first);
    else
      raise(p);
  }
  // Makes the working row that of the next node.
  void store_row() { rows_.store_row(window_.columns.size()); }

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
  clock_rows& rows_ = window_.clocks;
};

}  // namespace pianola::planner
