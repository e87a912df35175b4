// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace pianola::model {

// A sum that 64 bits cannot hold is the largest number that they can, not a small one, which would fit any budget.
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

// The smallest multiple that holds so many bytes; of those that 64 bits can hold the largest, where none does.
[[nodiscard]] constexpr std::uint64_t saturating_round_up(std::uint64_t bytes,
                                                          std::uint64_t multiple) noexcept {
  return saturating_add(bytes, multiple - 1) / multiple * multiple;
}

}  // namespace pianola::model
