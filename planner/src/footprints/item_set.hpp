// SPDX-License-Identifier: Apache-2.0
// Which work-items of a launch meet conditions of the compiler's facts, and how many rounds of a loop they make.
#pragma once
#include <optional>

#include <pianola/model/footprint.hpp>
#include <pianola/model/kernel.hpp>
#include <pianola/model/kernel_facts.hpp>

#include "pianola/planner/index_values.hpp"

namespace pianola::planner {

[[nodiscard]] constexpr wide divide_down(wide a, wide b) noexcept {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
[[nodiscard]] constexpr wide divide_up(wide a, wide b) noexcept { return -divide_down(-a, b); }

// Integers of [low, high), cut down.
struct interval {
  wide low, high;
  [[nodiscard]] bool empty() const noexcept { return low >= high; }
};

// A box of ids, and of those the work-items whose ids in their groups are in another box.
class item_set {
 public:
  // All work-items.
  explicit item_set(const model::launch_geometry& geometry);

  // Leaves out who does not meet the conditions. False if some are left that do not: conditions that are not understood,
  // or that no box describes. With `narrow` the sums are those of 32-bit integers.
  bool keep_all(model::array_view<const model::access_condition> conditions,
                const launch_values& launch, bool narrow);

  [[nodiscard]] bool empty() const noexcept;
  [[nodiscard]] wide count() const noexcept;
  // Smallest and largest value, both included.
  [[nodiscard]] interval range_of(const affine_value& value) const noexcept;
  // Of all work-items, added up. Nothing where it depends on groups.
  [[nodiscard]] std::optional<wide> sum_of(const affine_value& value) const noexcept;
  void describe(model::affine_access& to) const noexcept;

 private:
  template <class Test>
  bool keep(const affine_value& value, Test&& test);
  bool meet(const model::access_condition& c, const launch_values& launch, bool narrow);

  const model::launch_geometry* geometry_;
  interval ids_[3];
  interval locals_[3];  // without groups there is one
};

// What is computed with 32-bit integers is what it seems to be.
[[nodiscard]] bool is_narrow(const affine_value& value) noexcept;

// The rounds of a loop, all told: (max(sum, least) + plus) / divisor + extra.
struct loop_rounds {
  affine_value sum;
  const model::counted_loop* loop;

  [[nodiscard]] wide of(wide value) const noexcept;
};
// Nothing if they cannot be told for all work-items of the set.
[[nodiscard]] std::optional<loop_rounds> rounds_of(const model::counted_loop& loop,
                                                   const item_set& items,
                                                   const launch_values& launch, bool narrow);

}  // namespace pianola::planner
