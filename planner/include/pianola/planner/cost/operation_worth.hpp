// SPDX-License-Identifier: Apache-2.0
// What arithmetic takes, as a number of additions of independent numbers, which is what `operations` of a device's speed
// counts.
#pragma once

namespace pianola::planner {

// Estimates: what tables of current processors say of vectors, rounded.
inline constexpr double division_worth = 10.0;
inline constexpr double function_worth = 40.0;

[[nodiscard]] constexpr double worth_in_additions(double simple, double divisions,
                                                  double functions) noexcept {
  return simple + division_worth * divisions + function_worth * functions;
}

}  // namespace pianola::planner
