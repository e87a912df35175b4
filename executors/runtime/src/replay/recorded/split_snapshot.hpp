// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include <pianola/model/kernel.hpp>
#include <pianola/model/topology.hpp>

#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

class machine;

struct split_snapshot {
  graph_snapshot parts;
  std::uint32_t kernels = 0;  // so many were cut
};

// The same graph with kernels in parts (planner::split_kernels), each on those of its candidates that run the same code as
// the device that it was submitted to. Nothing if none is cut. Commands have other numbers, so it cannot be updated node by node.
// By the speeds of this topology, or by those that are given (planner::speeds_for_parts).
[[nodiscard]] std::optional<split_snapshot> split_kernels_of(const graph_snapshot& whole,
                                                             const machine& m,
                                                             const model::topology& topology,
                                                             std::vector<double> speeds = {});

// Whether a device that runs images of kernels can run a part of this one.
[[nodiscard]] bool has_code_for_parts(const model::kernel_descriptor& kernel);

}  // namespace pianola::runtime
