// SPDX-License-Identifier: Apache-2.0
// When the nodes of a graph's launches were run.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/graph_node.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

/// Nanoseconds, on the clock of event::get_profiling_info.
struct node_profile {
  std::uint64_t submit;  ///< the launch
  std::uint64_t start;   ///< 0: not known; see node_times
  std::uint64_t end;
  device where;
  std::uint32_t lane;  ///< of the graph's plan; commands of one lane follow each other
  std::uint64_t runs;  ///< of a loop or branch: graphs that it has run; 0: none, or it is not known
  /// How often the launch has run the node: 1, or the rounds of the loops and branches that run its graph. 0: not known.
  std::uint64_t rounds;
  std::uint64_t total;  ///< what all rounds took; of several commands each for itself
};

/// When one launch of a graph that was finalized with property::graph::enable_profiling ran a node, which is of the graph that
/// it was finalized from, or of one that its loops and branches run. Waits for the launch. A node of several commands (a nested
/// graph) lasts from the first to the last; one of a loop's body from the beginning of its first round to the end of its last.
/// Start and end are 0 if the node does nothing, was left out after a failure, is of a loop that a device runs by itself (a graph that
/// was constructed with property::graph::enable_profiling has none), or is run by a driver whose graphs cannot record events. Throws
/// exception: errc::invalid for other events and nodes, errc::feature_not_supported for a graph that runs kernels in parts.
node_profile node_times(const event& launch, const oneapi::experimental::node& n);

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
