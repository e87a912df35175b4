// SPDX-License-Identifier: Apache-2.0
// A recorded plan over devices that cannot run one native graph together is cut into segments: one native graph
// each, which wait for single steps of each other.
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>

#include "../plan.hpp"

namespace pianola::planner {

struct graph_segment {
  struct inner_wait {
    std::uint32_t step = 0;  // of this segment
    std::uint32_t on = 0;    // of an earlier segment of the same domain
  };

  std::uint32_t domain = 0;
  std::vector<std::uint32_t> steps;  // of the plan, ascending
  // Steps of earlier segments of other domains that must have been done before this one begins, without those that
  // follow from others.
  std::vector<std::uint32_t> waits;
  // Ascending by step, without those that follow from others or from `waits`.
  std::vector<inner_wait> inner_waits;
};

struct segmentation {
  std::vector<graph_segment> segments;  // in an order in which they can be submitted; at least one
  std::vector<std::uint32_t> segment_of;  // index: step
  std::vector<std::uint32_t> index_of;    // index: step; its place in graph_segment::steps
  std::vector<char> closes;  // index: step; all other steps of its segment come before it
};

// More segments cost more to launch than waiting for less can save.
inline constexpr std::size_t most_segments = 256;

// `domains[i]`: of step i; steps of a lane have one domain. `otherwise`: the domain of the only segment of a plan without
// steps.
//
// Steps of a domain are together exactly if they come after the same steps of other domains, so no step waits for
// another domain's work only because of those that it is together with. Where that makes more than `most` segments, a step
// is in the first segment of its domain that is late enough, so there are as few as the steps' order allows.
[[nodiscard]] segmentation cut_into_segments(const plan& plan,
                                             model::array_view<const std::uint32_t> domains,
                                             std::uint32_t otherwise,
                                             std::size_t most = most_segments);

}  // namespace pianola::planner
