// SPDX-License-Identifier: Apache-2.0
// Which bytes of a buffer the work-items of one launch touch, with every argument's value filled in. Exact or absent:
// where a command has no footprint for a requirement, any element of the requirement may be touched.
#pragma once
#include <cstdint>

#include "array_view.hpp"
#include "geometry.hpp"
#include "reduction_operation.hpp"

namespace pianola::model {

// A loop inside of a work-item: for each k of [0, count) the access happens `stride` bytes further on.
struct access_loop {
  std::int64_t stride = 0;  // bytes
  std::uint64_t count = 1;
};

inline constexpr std::uint64_t all_work_items = ~std::uint64_t{0};

// For each work-item whose id (without the launch's offset) is in `ids` and whose id within its group is in `locals`,
// and for each iteration of the loops: [start + sum of stride[d] * id[d] + sum of group_stride[d] * group id[d] + sum of
// loop strides, plus length), bytes from the start of the buffer.
struct affine_access {
  static constexpr int max_loops = 3;
  std::int64_t start = 0;
  std::int64_t stride[3] = {0, 0, 0};
  std::uint64_t length = 0;
  access_loop loops[max_loops];
  box ids;
  bool read = false;
  bool written = false;
  // All zero, and all work-items, where the launch has no groups.
  std::int64_t group_stride[3] = {0, 0, 0};
  box locals{{}, {{all_work_items, all_work_items, all_work_items}}};
  // Of an access that reads: what is read serves nothing but to be combined, by this, with what is written to the same
  // place. Each access is one number then, `length` bytes long.
  reduction_operation reduction = reduction_operation::none;
};

// Every access to a requirement's buffer through the accessors that the requirement stands for is one of these.
struct footprint {
  std::uint32_t requirement = 0;  // index into the command's requirements
  // Every byte that an access with `written` names is written: such an access is no mere possibility.
  bool writes_all = false;
  array_view<const affine_access> accesses;
  extent3 group{
      {1, 1, 1}};  // size of the launch's groups; their ids are those of work-items divided by it
};

// By what all that the footprint reads is combined with what is written there; none if something else is done with it, or
// if nothing is read.
[[nodiscard]] constexpr reduction_operation reduction_of(const footprint& f) noexcept {
  reduction_operation all = reduction_operation::none;
  for (const affine_access& a : f.accesses) {
    if (!a.read) continue;
    if (a.reduction == reduction_operation::none ||
        (all != reduction_operation::none && all != a.reduction))
      return reduction_operation::none;
    all = a.reduction;
  }
  return all;
}

}  // namespace pianola::model
