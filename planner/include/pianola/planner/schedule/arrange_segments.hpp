// SPDX-License-Identifier: Apache-2.0
// Which segment of a cut plan waits for what, and in which lane it runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>

#include "segments.hpp"

namespace pianola::planner {

// What native graphs of a domain can do beyond themselves.
struct graph_capabilities {
  bool signals = false;  // tell others of the end of single steps
  bool waits = false;    // wait for such steps of others in front of single steps of theirs
};

struct arranged_segment {
  static constexpr std::uint32_t end = 0xffffffffU;
  static constexpr std::uint32_t own_lane = 0xffffffffU;
  // Steps are counted within their segments here.
  struct wait {
    std::uint32_t segment = 0;
    std::uint32_t step = end;  // of that segment
  };
  struct inner_wait {
    std::uint32_t step = 0;  // of this segment
    std::uint32_t segment = 0;
    std::uint32_t on = 0;  // of that segment
  };
  std::vector<wait> waits;              // before it begins
  std::vector<inner_wait> inner_waits;  // in front of single steps; ascending by step
  std::vector<std::uint32_t> begun;     // the segments that those are of
  std::vector<std::uint32_t> signals;   // steps of it that others wait for, ascending
  std::uint32_t lane =
      own_lane;       // index into segment_arrangement::lanes; or the whole graph's own lane
  bool first = true;  // waits for no other segment
};

struct segment_arrangement {
  std::vector<arranged_segment> segments;  // index: as in the segmentation
  std::vector<std::uint32_t> lanes;        // beside the graph's own; the domain of each
  std::vector<std::uint32_t> ends;         // segments: when these have finished, all have
};

// More streams of a device do not run more at the same time, or not by much.
inline constexpr std::size_t most_lanes_of_domain = 8;

// `of_domain`: index: domain; of all that the segments have. A segment waits for the end of another one where the other
// one cannot tell of single steps, or where the step ends it. It is in a lane behind another segment only if it comes
// after all of that anyway, or if lanes run out. Where one segment ends the graph, it runs in the graph's own lane.
[[nodiscard]] segment_arrangement arrange_segments(
    const segmentation& cut, model::array_view<const graph_capabilities> of_domain,
    std::size_t most_lanes = most_lanes_of_domain);

}  // namespace pianola::planner
