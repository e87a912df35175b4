// SPDX-License-Identifier: Apache-2.0
// One requirement, or several, in the place of one that names more than the kernel touches.
#include <cstdint>
#include <vector>

#include "pianola/planner/footprints.hpp"

namespace pianola::planner {

namespace {

using model::box;

// More of them cost more to plan than they can save, and more boxes take too long to put together.
constexpr std::size_t most_requirements = 4;
constexpr std::size_t most_boxes_touched = 16;

std::vector<box> within(const std::vector<box>& boxes, const box& named) {
  std::vector<box> kept;
  for (const box& b : boxes)
    if (const box part = intersection(b, named); !part.empty()) kept.push_back(part);
  return kept;
}

// A few boxes that hold these, no two of which have a page in common; none where one box around all is hardly larger.
std::vector<box> apart(std::vector<box> boxes, const model::page_grid& grid) {
  if (boxes.size() < 2 || boxes.size() > most_boxes_touched) return {};
  box all;
  std::uint64_t pages = 0;
  for (const box& b : boxes) {
    all = hull(all, b);
    pages += grid.page_count(b);
  }
  const std::uint64_t limit = grid.page_count(all) / 2;
  if (pages > limit) return {};
  while (boxes.size() > 1) {
    // The two that have the least between them.
    std::size_t first = 0, second = 0;
    std::uint64_t least = ~std::uint64_t{0};
    bool touching = false;
    for (std::size_t i = 0; i < boxes.size() && !touching; ++i)
      for (std::size_t k = i + 1; k < boxes.size() && !touching; ++k) {
        const std::uint64_t own = grid.page_count(boxes[i]) + grid.page_count(boxes[k]);
        const std::uint64_t together = grid.page_count(hull(boxes[i], boxes[k]));
        touching = together <= own || overlap(grid.pages_of(boxes[i]), grid.pages_of(boxes[k]));
        if (!touching && together - own >= least) continue;
        least = touching ? 0 : together - own;
        first = i;
        second = k;
      }
    if (!touching && boxes.size() <= most_requirements) break;
    boxes[first] = hull(boxes[first], boxes[second]);
    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(second));
  }
  pages = 0;
  for (const box& b : boxes) pages += grid.page_count(b);
  if (boxes.size() < 2 || pages > limit) return {};
  return boxes;
}

}  // namespace

bool narrow_requirement(const touched_elements& t, model::requirement& r) {
  box named;
  for (const box& b : t.read) named = hull(named, b);
  for (const box& b : t.written) named = hull(named, b);
  named = intersection(named, r.elements);
  if (named.empty()) return false;
  model::requirement narrowed = r;
  narrowed.elements = named;
  if (t.written.empty() && !r.no_init) narrowed.mode = model::access_mode::read;
  if (t.read.empty() && writes(narrowed.mode)) {
    std::uint64_t overwritten = 0;
    for (const box& b : t.overwritten) overwritten += intersection(b, named).count();
    if (overwritten == named.count()) {
      narrowed.mode = model::access_mode::write;
      narrowed.no_init = true;
    }
  }
  const bool changed =
      narrowed.mode != r.mode || narrowed.no_init != r.no_init || narrowed.elements != r.elements;
  r = narrowed;
  return changed;
}

bool narrow_requirement(const touched_elements& t, const model::page_grid& grid,
                        model::requirement& r, std::vector<model::requirement>& further) {
  std::vector<box> touched = within(t.read, r.elements);
  const std::vector<box> written = within(t.written, r.elements);
  touched.insert(touched.end(), written.begin(), written.end());
  const std::vector<box> boxes = apart(std::move(touched), grid);
  if (boxes.empty()) return narrow_requirement(t, r);
  const model::requirement whole = r;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    model::requirement one = whole;
    one.elements = boxes[i];
    narrow_requirement(
        {within(t.read, boxes[i]), within(t.written, boxes[i]), within(t.overwritten, boxes[i])},
        one);
    if (i == 0)
      r = one;
    else
      further.push_back(one);
  }
  return true;
}

}  // namespace pianola::planner
