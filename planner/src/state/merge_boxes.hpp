// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/geometry.hpp>

namespace pianola::planner {

// Replaces disjoint boxes by fewer disjoint boxes with the same union, never by more. Few, not
// fewest: that is NP-hard. Neighbours whose union is exactly a box are joined, along each axis in
// turn; of few boxes the order of axes that leaves the fewest is taken, and a fresh partition into
// largest boxes if that has fewer still. Deterministic; the result is in row-major order of corners.
void merge_boxes(std::vector<model::box>& boxes);

// Whether the union of two disjoint boxes is a box.
[[nodiscard]] bool form_a_box(const model::box& a, const model::box& b) noexcept;

}  // namespace pianola::planner
