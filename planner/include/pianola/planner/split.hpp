// SPDX-License-Identifier: Apache-2.0
// Kernels whose accesses are known run in parts, on several devices at once.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "split_graph.hpp"

namespace pianola::planner {

// How fast the devices do the kernels of the graph that have a choice, beside the fastest; index: device.
[[nodiscard]] std::vector<double> speeds_for_parts(
    model::array_view<const model::command> commands,
    model::array_view<const model::buffer_info> buffers, const model::topology& topology);

// Cuts kernels that may run on several devices (command::candidates) and of which a footprint tells, for everything
// that they write, which work-item writes it: along one dimension, a part for each device, as large as the device is
// fast. A part needs what its work-items touch, so the borders that neighbours share become ordinary transfers, and what
// only one part writes stays where it was written. Kernels are cut so that parts of different ones which touch the same
// elements are on the same device.
//
// A kernel stays whole if parts would write the same elements, or if one would read what another one writes, as far as
// is known; if it has fewer than `least_units` units for each device; and where a kernel needs data in a memory that is
// named for it.
//
// Conflicts are decided by pages. A buffer that its program has cut into pages keeps them; one that is a single page gets
// pages whose borders are those of the parts. Nothing if no kernel is cut.
[[nodiscard]] std::optional<split_graph> split_kernels(
    model::array_view<const model::command> commands,
    model::array_view<const model::buffer_info> buffers, const model::topology& topology,
    std::uint64_t least_units = 2);
// The same for speeds that are known: each above 0 and at most 1, one for each device. A graph that was cut by them before
// is cut alike.
[[nodiscard]] std::optional<split_graph> split_kernels(
    model::array_view<const model::command> commands,
    model::array_view<const model::buffer_info> buffers, model::array_view<const double> speeds,
    std::uint64_t least_units = 2);

}  // namespace pianola::planner
