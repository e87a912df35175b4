// SPDX-License-Identifier: Apache-2.0
// A recorded plan over devices that cannot run one native graph together is cut into segments: one native graph
// each, linked by positions of lanes.
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::runtime {

struct graph_segment {
  std::uint32_t domain = 0;
  std::vector<std::uint32_t> steps;  // of the plan, ascending
  // Earlier segments of other domains that must have finished, without those that follow from others. Segments of
  // one domain run in their order.
  std::vector<std::uint32_t> waits;
};

struct segmentation {
  std::vector<graph_segment> segments;  // in an order in which they can be submitted; at least one
  std::vector<std::uint32_t> segment_of;  // index: step
  std::vector<std::uint32_t> index_of;    // index: step; its place in graph_segment::steps
  // Segments that no other one follows: once these have finished, all have.
  std::vector<std::uint32_t> ends;
};

// `domains[i]`: of step i. A step is in the first segment of its domain that is late enough, so there are as few as
// the steps' order allows. `otherwise`: the domain of the only segment of a plan without steps.
[[nodiscard]] segmentation cut_into_segments(const planner::plan& plan,
                                             model::array_view<const std::uint32_t> domains,
                                             std::uint32_t otherwise);

}  // namespace pianola::runtime
