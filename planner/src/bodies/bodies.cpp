// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/bodies.hpp"

#include <algorithm>
#include <utility>

namespace pianola::planner {

using model::box;

namespace {

// What some body writes, and where each body that writes it leaves it. Disjoint for each buffer.
struct written_box {
  model::buffer_id buffer;
  box elements;
  model::memory_set everywhere;
};

void add(std::vector<written_box>& boxes, const written_box& fresh) {
  std::vector<box> rest{fresh.elements}, smaller;
  const std::size_t known = boxes.size();
  for (std::size_t i = 0; i < known; ++i) {
    if (boxes[i].buffer != fresh.buffer || !overlap(boxes[i].elements, fresh.elements)) continue;
    const written_box before = boxes[i];
    const box common = intersection(before.elements, fresh.elements);
    boxes[i] = {before.buffer, common, before.everywhere & fresh.everywhere};
    for_each_difference(before.elements, common, [&](const box& other) {
      boxes.push_back({before.buffer, other, before.everywhere});
    });
    smaller.clear();
    for (const box& b : rest)
      for_each_difference(b, common, [&](const box& left) { smaller.push_back(left); });
    rest.swap(smaller);
  }
  for (const box& b : rest) boxes.push_back({fresh.buffer, b, fresh.everywhere});
}

std::vector<written_box> boxes_written(model::array_view<const body> bodies) {
  std::vector<written_box> boxes;
  for (const body& one : bodies)
    for (const validity_entry& e : one.what->exit)
      for (const access_entry& a : one.what->accesses)
        if (a.written && a.buffer == e.buffer && overlap(a.elements, e.elements))
          add(boxes,
              {one.buffers[e.buffer.value()], intersection(a.elements, e.elements), e.memories});
  return boxes;
}

model::memory_id one_of(const model::memory_set& memories, model::memory_id preferred) {
  if (memories.contains(preferred)) return preferred;
  return memories.lowest();
}

}  // namespace

body_requirements requirements_of(model::array_view<const body> bodies, model::memory_id preferred,
                                  bool always) {
  body_requirements out;
  const auto read = [&](model::buffer_id buffer, model::memory_id memory, const box& elements) {
    const bool known =
        std::any_of(out.needed.begin(), out.needed.end(), [&](const model::requirement& r) {
          return r.buffer == buffer && r.memory == memory && contains(r.elements, elements);
        });
    if (!known) out.needed.push_back({buffer, model::access_mode::read, false, memory, elements});
  };
  for (const body& one : bodies)
    for (const validity_entry& e : one.what->contract)
      e.memories.for_each(
          [&](model::memory_id m) { read(one.buffers[e.buffer.value()], m, e.elements); });
  const std::vector<written_box> boxes = boxes_written(bodies);
  for (const written_box& p : boxes)
    if (p.everywhere.empty()) out.apart.push_back(p.buffer);
  std::sort(out.apart.begin(), out.apart.end());
  out.apart.erase(std::unique(out.apart.begin(), out.apart.end()), out.apart.end());
  if (!out.apart.empty()) return out;
  // Brought first, then written as a whole: what is named is exact, as pages would say more than is so.
  if (!always)
    for (const written_box& p : boxes) read(p.buffer, one_of(p.everywhere, preferred), p.elements);
  for (const written_box& p : boxes)
    out.needed.push_back(
        {p.buffer, model::access_mode::write, true, one_of(p.everywhere, preferred), p.elements});
  return out;
}

bool follows_itself(const plan& p) {
  return std::all_of(p.contract.begin(), p.contract.end(), [&](const validity_entry& needed) {
    return std::all_of(p.exit.begin(), p.exit.end(), [&](const validity_entry& left) {
      return left.buffer != needed.buffer || !overlap(left.elements, needed.elements) ||
             left.memories.contains(needed.memories);
    });
  });
}

}  // namespace pianola::planner
