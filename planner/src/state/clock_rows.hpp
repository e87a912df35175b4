// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pianola::planner {

// Lane clocks: for each step, how many steps of each lane it comes after, itself included. The steps of a lane are in
// order, so one number per lane says which; a step is an ancestor exactly if its lane's clock has reached its tick.
//
// A row per step, in a topological order, with a column per lane. A row holds the columns that there were when it was
// stored; what is missing is 0, as is a lane of which nothing is known. Rows are made in the working row.
class clock_rows {
 public:
  void clear() {
    ticks_.clear();
    first_.assign(1, 0);
  }
  // Ticks of all rows.
  [[nodiscard]] std::size_t size() const noexcept { return ticks_.size(); }

  // The working row.
  void clear_row(std::size_t columns) { row_.assign(columns, 0); }
  [[nodiscard]] bool reached(std::uint32_t column, std::uint32_t tick) const noexcept {
    return row_[column] >= tick;
  }
  void raise(std::uint32_t column, std::uint32_t tick) noexcept {
    row_[column] = std::max(row_[column], tick);
  }
  // Adds a stored row, of these or of others with the same columns: what its step comes after, and the step.
  void merge(std::size_t step) noexcept { merge(*this, step); }
  void merge(const clock_rows& rows, std::size_t step) noexcept {
    const std::uint32_t* const from = rows.ticks_.data() + rows.first_[step];
    const std::size_t n = rows.first_[step + 1] - rows.first_[step];
    std::uint32_t* const to = row_.data();
    for (std::size_t c = 0; c < n; ++c) to[c] = to[c] < from[c] ? from[c] : to[c];
  }
  // Makes so many columns of the working row those of the next step.
  void store_row(std::size_t columns) {
    const std::uint32_t* const from = row_.data();
    ticks_.insert(ticks_.end(), from, from + columns);
    first_.push_back(ticks_.size());
  }

  // Of a stored row, which must have the column.
  [[nodiscard]] std::uint32_t tick(std::size_t step, std::uint32_t column) const noexcept {
    return ticks_[first_[step] + column];
  }
  // 0 if the row has no such column.
  [[nodiscard]] std::uint32_t tick_if_any(std::size_t step, std::uint32_t column) const noexcept {
    return column < first_[step + 1] - first_[step] ? tick(step, column) : 0;
  }

 private:
  std::vector<std::uint32_t> ticks_;
  std::vector<std::size_t> first_;  // index: step; one more at the end
  std::vector<std::uint32_t> row_;
};

}  // namespace pianola::planner
