// SPDX-License-Identifier: Apache-2.0
// What the drivers' calls ask of the operations that they are given.
#pragma once
#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/array_view.hpp>

#include "driver.hpp"

namespace pianola::gpu {

// Nodes of a graph cannot do nothing.
[[nodiscard]] inline bool is_empty(const executors::resolved_copy& box) noexcept {
  return box.width == 0 || box.height == 0 || box.depth == 0;
}

// Whether slices are a whole number of rows apart: drivers count in rows.
[[nodiscard]] inline bool has_whole_slices(const executors::resolved_copy& box) noexcept {
  return box.depth == 1 || (box.source_row_pitch != 0 && box.destination_row_pitch != 0 &&
                            box.source_slice_pitch % box.source_row_pitch == 0 &&
                            box.destination_slice_pitch % box.destination_row_pitch == 0);
}

// A node is nothing but its handle, so an array of nodes is one of handles.
static_assert(sizeof(node) == sizeof(void*) && alignof(node) == alignof(void*));
[[nodiscard]] inline void* const* handles(model::array_view<const node> nodes) noexcept {
  return nodes.empty() ? nullptr : &nodes.data()->native;
}

}  // namespace pianola::gpu
