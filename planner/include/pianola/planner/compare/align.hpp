// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>

namespace pianola::planner {

// Pairs (place in a, place in b) of equal values, ascending in both: as many as there can be, if the sequences differ in
// at most `most_differences` places; where they differ in more, they are cut where most has been matched by then from either end.
// Of long sequences, what only one of them has is no difference in this sense.
// Myers, "An O(ND) difference algorithm and its variations", in linear space.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> align(
    model::array_view<const std::uint64_t> a, model::array_view<const std::uint64_t> b,
    std::uint32_t most_differences = 1000);

}  // namespace pianola::planner
