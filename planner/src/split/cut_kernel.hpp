// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::planner {

struct kernel_part {
  model::device_id device;
  model::box units;
  // The first ones are for the requirements of the whole kernel, in their order; those behind them are further boxes of
  // the same buffers.
  std::vector<model::requirement> requirements;
};

// At least two parts, ascending; nothing if the kernel stays whole. See split_kernels. `speeds`: index: device; parts are
// in proportion to them, the same for all kernels of a graph, so that parts which touch the same elements are on the same
// device.
[[nodiscard]] std::optional<std::vector<kernel_part>> cut_kernel(
    const model::command& command, model::array_view<const model::buffer_info> buffers,
    model::array_view<const double> speeds, std::uint64_t least_units);

}  // namespace pianola::planner
