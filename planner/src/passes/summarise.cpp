// SPDX-License-Identifier: Apache-2.0
#include "summarise.hpp"

#include <algorithm>
#include <cstddef>

#include "state/merge_boxes.hpp"

namespace pianola::planner {

using model::box;

namespace {

template <class T>
struct tagged_box {
  T tag;
  box elements;
};

bool corner_less(const box& a, const box& b) {
  return std::lexicographical_compare(a.lo.c, a.lo.c + 3, b.lo.c, b.lo.c + 3);
}

// Merges boxes of equal tags and calls f(box, tag) in row-major order of corners.
template <class T, class F>
void merged(std::vector<tagged_box<T>>& boxes, F&& f) {
  if (boxes.size() > 1) {
    std::sort(boxes.begin(), boxes.end(), [](const tagged_box<T>& a, const tagged_box<T>& b) {
      return a.tag != b.tag ? a.tag < b.tag : corner_less(a.elements, b.elements);
    });
    std::vector<tagged_box<T>> fewer;
    std::vector<box> group;
    for (std::size_t first = 0; first < boxes.size();) {
      const T tag = boxes[first].tag;
      group.clear();
      for (; first < boxes.size() && boxes[first].tag == tag; ++first)
        group.push_back(boxes[first].elements);
      merge_boxes(group);
      for (const box& b : group) fewer.push_back({tag, b});
    }
    std::sort(fewer.begin(), fewer.end(), [](const tagged_box<T>& a, const tagged_box<T>& b) {
      return corner_less(a.elements, b.elements);
    });
    boxes.swap(fewer);
  }
  for (const tagged_box<T>& b : boxes) f(b.elements, b.tag);
}

}  // namespace

void summarise(const planning_state& state, plan& out) {
  const planning_state::implementation& im = state.internals();
  std::vector<tagged_box<model::memory_set>> taken, left;
  std::vector<tagged_box<bool>> accessed;
  for (std::size_t i = 0; i < im.buffers.size(); ++i) {
    const model::buffer_id id(static_cast<std::uint32_t>(i));
    const buffer_state& b = im.buffers[i];
    // Nobody outside of the graph sees it.
    if (b.info.temporary) continue;
    taken.clear();
    left.clear();
    accessed.clear();
    b.valid.visit(b.valid.domain(), [&](const box& where, const validity& v) {
      if (!v.taken.empty()) taken.push_back({v.taken, where});
      if (!v.producers.empty()) left.push_back({v.valid, where});
    });
    b.history.visit(b.history.domain(), [&](const box& where, const history& h) {
      const bool written = h.writer != no_step;
      if (written || !h.readers.empty()) accessed.push_back({written, where});
    });
    merged(taken, [&](const box& where, const model::memory_set& memories) {
      out.contract.push_back({id, where, memories});
    });
    merged(left, [&](const box& where, const model::memory_set& memories) {
      out.exit.push_back({id, where, memories});
    });
    merged(accessed,
           [&](const box& where, bool written) { out.accesses.push_back({id, where, written}); });
  }
  for (const lane_state& l : im.lanes) out.lanes.push_back({l.device});
}

}  // namespace pianola::planner
