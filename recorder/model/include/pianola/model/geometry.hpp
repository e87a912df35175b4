// SPDX-License-Identifier: Apache-2.0
// Points, boxes and page grids. Everything is 3-D; a buffer of fewer dimensions is padded with ones
// on the left, so the last coordinate always runs fastest in memory, as in SYCL.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pianola::model {

struct point3 {
  std::uint64_t c[3] = {0, 0, 0};

  constexpr std::uint64_t operator[](std::size_t i) const noexcept { return c[i]; }
  constexpr std::uint64_t& operator[](std::size_t i) noexcept { return c[i]; }
  friend constexpr bool operator==(const point3& a, const point3& b) noexcept {
    return a.c[0] == b.c[0] && a.c[1] == b.c[1] && a.c[2] == b.c[2];
  }
  friend constexpr bool operator!=(const point3& a, const point3& b) noexcept { return !(a == b); }
};

using extent3 = point3;

constexpr std::uint64_t volume(const extent3& e) noexcept { return e.c[0] * e.c[1] * e.c[2]; }

// Half-open: holds the points p with lo <= p < hi in every coordinate. Empty if any lo >= hi.
struct box {
  point3 lo;
  point3 hi;

  static constexpr box of(const extent3& e) noexcept { return box{point3{}, e}; }

  [[nodiscard]] constexpr bool empty() const noexcept {
    return lo.c[0] >= hi.c[0] || lo.c[1] >= hi.c[1] || lo.c[2] >= hi.c[2];
  }
  [[nodiscard]] constexpr extent3 extent() const noexcept {
    return empty() ? extent3{} : extent3{{hi.c[0] - lo.c[0], hi.c[1] - lo.c[1], hi.c[2] - lo.c[2]}};
  }
  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return volume(extent()); }

  friend constexpr bool operator==(const box& a, const box& b) noexcept {
    return a.lo == b.lo && a.hi == b.hi;
  }
  friend constexpr bool operator!=(const box& a, const box& b) noexcept { return !(a == b); }
};

constexpr box intersection(const box& a, const box& b) noexcept {
  box r;
  for (int d = 0; d < 3; ++d) {
    r.lo.c[d] = a.lo.c[d] > b.lo.c[d] ? a.lo.c[d] : b.lo.c[d];
    r.hi.c[d] = a.hi.c[d] < b.hi.c[d] ? a.hi.c[d] : b.hi.c[d];
  }
  return r;
}

constexpr bool overlap(const box& a, const box& b) noexcept { return !intersection(a, b).empty(); }

constexpr bool contains(const box& outer, const box& inner) noexcept {
  if (inner.empty()) return true;
  for (int d = 0; d < 3; ++d)
    if (inner.lo.c[d] < outer.lo.c[d] || inner.hi.c[d] > outer.hi.c[d]) return false;
  return true;
}

// Smallest box that holds both; an empty box counts for nothing.
constexpr box hull(const box& a, const box& b) noexcept {
  if (a.empty()) return b;
  if (b.empty()) return a;
  box r;
  for (int d = 0; d < 3; ++d) {
    r.lo.c[d] = a.lo.c[d] < b.lo.c[d] ? a.lo.c[d] : b.lo.c[d];
    r.hi.c[d] = a.hi.c[d] > b.hi.c[d] ? a.hi.c[d] : b.hi.c[d];
  }
  return r;
}

// Calls f(box) for at most six disjoint boxes that together are a without b.
template <class F>
constexpr void for_each_difference(const box& a, const box& b, F&& f) {
  if (a.empty()) return;
  const box common = intersection(a, b);
  if (common.empty()) {
    f(a);
    return;
  }
  box rest = a;
  for (int d = 0; d < 3; ++d) {
    if (rest.lo.c[d] < common.lo.c[d]) {
      box piece = rest;
      piece.hi.c[d] = common.lo.c[d];
      f(piece);
      rest.lo.c[d] = common.lo.c[d];
    }
    if (common.hi.c[d] < rest.hi.c[d]) {
      box piece = rest;
      piece.lo.c[d] = common.hi.c[d];
      f(piece);
      rest.hi.c[d] = common.hi.c[d];
    }
  }
}

// Smallest box of a row-major array of the given extent that holds the linear elements [first, last).
// Used where a view of another shape or element size touches a linear interval: it may cover more
// than the interval, never less.
constexpr box covering_box(const extent3& e, std::uint64_t first, std::uint64_t last) noexcept {
  if (first >= last) return box{};
  const std::uint64_t row = e.c[2], plane = e.c[1] * e.c[2];
  const std::uint64_t end = last - 1;
  const std::uint64_t p0 = first / plane, p1 = end / plane;
  if (p0 != p1) return box{{{p0, 0, 0}}, {{p1 + 1, e.c[1], e.c[2]}}};
  const std::uint64_t r0 = (first % plane) / row, r1 = (end % plane) / row;
  if (r0 != r1) return box{{{p0, r0, 0}}, {{p0 + 1, r1 + 1, e.c[2]}}};
  return box{{{p0, r0, first % row}}, {{p0 + 1, r0 + 1, end % row + 1}}};
}

// A buffer's range cut into pages of a fixed size, counted from the origin; the last page of a row
// may be cut short by the range.
class page_grid {
 public:
  constexpr page_grid() noexcept = default;
  // range, page: in elements; a page extent of zero means "the whole range".
  constexpr page_grid(const extent3& range, const extent3& page) noexcept
      : range_(range), page_(page) {
    for (int d = 0; d < 3; ++d)
      if (page_.c[d] == 0 || page_.c[d] > range_.c[d]) page_.c[d] = range_.c[d];
  }
  constexpr explicit page_grid(const extent3& range) noexcept : page_grid(range, extent3{}) {}

  [[nodiscard]] constexpr const extent3& range() const noexcept { return range_; }
  [[nodiscard]] constexpr const extent3& page() const noexcept { return page_; }
  [[nodiscard]] constexpr bool single_page() const noexcept { return page_ == range_; }

  // Number of pages in each coordinate.
  [[nodiscard]] constexpr extent3 pages() const noexcept {
    extent3 n;
    for (int d = 0; d < 3; ++d)
      n.c[d] = page_.c[d] == 0 ? 0 : (range_.c[d] + page_.c[d] - 1) / page_.c[d];
    return n;
  }

  // Page range of an element box: every page that the box touches, in page coordinates.
  [[nodiscard]] constexpr box pages_of(const box& elements) const noexcept {
    box r;
    if (elements.empty()) return r;
    for (int d = 0; d < 3; ++d) {
      r.lo.c[d] = elements.lo.c[d] / page_.c[d];
      r.hi.c[d] = (elements.hi.c[d] + page_.c[d] - 1) / page_.c[d];
    }
    return r;
  }

  // Elements of a box of pages, cut at the range.
  [[nodiscard]] constexpr box elements_of(const box& pages) const noexcept {
    box r;
    if (pages.empty()) return r;
    for (int d = 0; d < 3; ++d) {
      r.lo.c[d] = pages.lo.c[d] * page_.c[d];
      const std::uint64_t end = pages.hi.c[d] * page_.c[d];
      r.hi.c[d] = end < range_.c[d] ? end : range_.c[d];
    }
    return r;
  }

  // The element box grown to whole pages.
  [[nodiscard]] constexpr box page_aligned(const box& elements) const noexcept {
    if (elements.empty()) return box{};
    box r;
    for (int d = 0; d < 3; ++d) {
      if (page_.c[d] == range_.c[d]) {
        r.lo.c[d] = 0;
        r.hi.c[d] = range_.c[d];
        continue;
      }
      r.lo.c[d] = elements.lo.c[d] / page_.c[d] * page_.c[d];
      const std::uint64_t end = (elements.hi.c[d] + page_.c[d] - 1) / page_.c[d] * page_.c[d];
      r.hi.c[d] = end < range_.c[d] ? end : range_.c[d];
    }
    return r;
  }

  // Number of pages that an element box touches.
  [[nodiscard]] constexpr std::uint64_t page_count(const box& elements) const noexcept {
    return pages_of(elements).count();
  }

 private:
  extent3 range_{};
  extent3 page_{};
};

}  // namespace pianola::model
