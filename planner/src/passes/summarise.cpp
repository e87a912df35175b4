// SPDX-License-Identifier: Apache-2.0
#include "summarise.hpp"

#include <algorithm>
#include <cstddef>

#include "state/merge_boxes.hpp"

namespace pianola::planner {

using model::box;

namespace {

struct tagged_box {
  std::uint64_t tag;
  box elements;
};

bool tagged_corner_less(const tagged_box& a, const tagged_box& b) {
  return std::lexicographical_compare(a.elements.lo.c, a.elements.lo.c + 3, b.elements.lo.c,
                                      b.elements.lo.c + 3);
}

// Merges boxes of equal tags and calls f(box, tag) in row-major order of corners.
template <class F>
void merged(std::vector<tagged_box>& boxes, F&& f) {
  if (boxes.size() > 1) {
    std::sort(boxes.begin(), boxes.end(), [](const tagged_box& a, const tagged_box& b) {
      return a.tag != b.tag ? a.tag < b.tag : tagged_corner_less(a, b);
    });
    std::vector<tagged_box> fewer;
    std::vector<box> group;
    for (std::size_t first = 0; first < boxes.size();) {
      const std::uint64_t tag = boxes[first].tag;
      group.clear();
      for (; first < boxes.size() && boxes[first].tag == tag; ++first)
        group.push_back(boxes[first].elements);
      merge_boxes(group);
      for (const box& b : group) fewer.push_back({tag, b});
    }
    std::sort(fewer.begin(), fewer.end(), tagged_corner_less);
    boxes.swap(fewer);
  }
  for (const tagged_box& b : boxes) f(b.elements, b.tag);
}

}  // namespace

void summarise(const planning_state& state, plan& out) {
  const planning_state::implementation& im = state.internals();
  std::vector<tagged_box> taken, left, accessed;
  for (std::size_t i = 0; i < im.buffers.size(); ++i) {
    const model::buffer_id id(static_cast<std::uint32_t>(i));
    const buffer_state& b = im.buffers[i];
    // Nobody outside of the graph sees it.
    if (b.info.temporary) continue;
    taken.clear();
    left.clear();
    accessed.clear();
    b.valid.visit(b.valid.domain(), [&](const box& where, const validity& v) {
      if (v.taken != 0) taken.push_back({v.taken, where});
      if (!v.producers.empty()) left.push_back({v.valid, where});
    });
    b.history.visit(b.history.domain(), [&](const box& where, const history& h) {
      const bool written = h.writer != no_step;
      if (written || !h.readers.empty()) accessed.push_back({written ? 1U : 0U, where});
    });
    merged(taken, [&](const box& where, std::uint64_t mask) {
      out.contract.push_back({id, where, mask});
    });
    merged(left,
           [&](const box& where, std::uint64_t mask) { out.exit.push_back({id, where, mask}); });
    merged(accessed, [&](const box& where, std::uint64_t written) {
      out.accesses.push_back({id, where, written != 0});
    });
  }
  for (const lane_state& l : im.lanes) out.lanes.push_back({l.device});
}

}  // namespace pianola::planner
