// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "footprints/item_set.hpp"
#include "pianola/planner/footprints.hpp"
#include "pianola/planner/index_values.hpp"
#include "state/merge_boxes.hpp"

namespace pianola::planner {

namespace {

using model::affine_access;
using model::box;

// More boxes than this are covered by fewer.
constexpr wide max_boxes = 64;

// `count` times, each `stride` further on.
struct axis {
  wide stride;
  wide count;
};

// [start + sum of stride * k, plus length) for each k of [0, count) of each axis. Strides are positive, and rising.
struct pattern {
  wide start = 0;
  wide length = 0;
  std::vector<axis> axes;

  [[nodiscard]] wide end() const {
    wide last = start + length;
    for (const axis& a : axes) last += a.stride * (a.count - 1);
    return last;
  }
};

// Fewer axes for the same bytes.
void simplify(pattern& p) {
  for (axis& a : p.axes)
    if (a.stride < 0) {
      p.start += a.stride * (a.count - 1);
      a.stride = -a.stride;
    }
  std::sort(p.axes.begin(), p.axes.end(),
            [](const axis& a, const axis& b) { return a.stride < b.stride; });
  std::vector<axis> kept;
  for (const axis& a : p.axes) {
    if (a.count == 1 || a.stride == 0) continue;
    if (kept.empty() && a.stride <= p.length) {
      p.length += a.stride * (a.count - 1);
      continue;
    }
    // Every `a` is whole steps of the axis before, and no further than that goes.
    if (!kept.empty() && a.stride % kept.back().stride == 0 &&
        a.stride / kept.back().stride <= kept.back().count) {
      kept.back().count += a.stride / kept.back().stride * (a.count - 1);
      continue;
    }
    kept.push_back(a);
  }
  p.axes = std::move(kept);
}

// What is not exact is more where something may happen, and less where it must.
enum class bound { at_most, at_least };

class box_maker {
 public:
  box_maker(const model::buffer_info& buffer, bound how)
      : range_(buffer.grid.range()), element_(buffer.element_size), how_(how) {
    row_ = wide{range_[2]};
    plane_ = row_ * wide{range_[1]};
    top_ = range_[0] > 1 ? 0 : range_[1] > 1 ? 1 : 2;
  }

  [[nodiscard]] bool exact() const { return exact_; }
  void not_exact() { exact_ = false; }
  std::vector<box>& boxes() { return boxes_; }

  // Bytes.
  void add(pattern p) {
    simplify(p);
    const wide e = element_;
    if (std::any_of(p.axes.begin(), p.axes.end(), [&](const axis& a) { return a.stride % e != 0; }))
      return cover(p.start, p.end());
    const wide end = p.start + p.length;
    p.start = how_ == bound::at_most ? divide_down(p.start, e) : divide_up(p.start, e);
    p.length = (how_ == bound::at_most ? divide_up(end, e) : divide_down(end, e)) - p.start;
    if (p.length <= 0) return;
    for (axis& a : p.axes) a.stride /= e;
    simplify(p);  // what is apart in bytes may not be in elements
    add_elements(p);
  }

 private:
  // Bytes that are touched in part only.
  void cover(wide start, wide end) {
    exact_ = false;
    if (how_ == bound::at_most)
      add_interval(divide_down(start, wide{element_}), divide_up(end, wide{element_}));
  }

  // Elements. From a coordinate on that grows without end no row begins anew.
  void add_elements(const pattern& p) {
    if (p.axes.empty()) return add_interval(p.start, p.start + p.length);
    wide at[3], far[3];
    split(p.start, at);
    std::copy(at, at + 3, far);
    std::vector<axis> apart;
    wide steps[3] = {1, 1, 1};  // of the box's extent
    wide many = 1;
    for (const axis& a : p.axes) {
      wide d[3];
      split(a.stride, d);
      for (int i = 0; i < 3; ++i) far[i] += d[i] * (a.count - 1);
      const int moved = (d[0] != 0) + (d[1] != 0) + (d[2] != 0);
      const int along = d[0] != 0 ? 0 : d[1] != 0 ? 1 : 2;
      if (moved == 1 && d[along] <= steps[along] && along != 2) {
        steps[along] += d[along] * (a.count - 1);
      } else {
        apart.push_back(a);
        many *= std::min(a.count, max_boxes + 1);
        many = std::min(many, max_boxes + 1);
      }
    }
    // Within its rows and planes, or else what is next to each other in memory is not so in the buffer.
    const bool keeps =
        (top_ == 2 || far[2] + p.length <= row_) && (top_ >= 1 || far[1] < wide{range_[1]});
    if (keeps && many <= max_boxes) {
      each(apart, 0, p.start, [&](wide start) {
        wide c[3];
        split(start, c);
        add_box(c, steps[0], steps[1], p.length);
      });
      return;
    }
    if (keeps && how_ == bound::at_most) {
      exact_ = false;
      return add_box(at, far[0] - at[0] + 1, far[1] - at[1] + 1, far[2] - at[2] + p.length);
    }
    if (!keeps) {
      wide all = 1;
      for (const axis& a : p.axes)
        all = std::min(all * std::min(a.count, max_boxes + 1), max_boxes + 1);
      if (all <= max_boxes) {
        each(p.axes, 0, p.start, [&](wide start) { add_interval(start, start + p.length); });
        return;
      }
    }
    exact_ = false;
    if (how_ == bound::at_most) add_interval(p.start, p.end());
  }

  template <class F>
  void each(const std::vector<axis>& axes, std::size_t from, wide start, F&& f) {
    if (from == axes.size()) return f(start);
    for (wide k = 0; k < axes[from].count; ++k)
      each(axes, from + 1, start + k * axes[from].stride, f);
  }

  // Coordinates of a place; that of the first dimension with several elements may be anything.
  void split(wide place, wide (&c)[3]) const {
    c[0] = c[1] = 0;
    c[2] = place;
    if (top_ == 0) {
      c[0] = divide_down(place, plane_);
      c[2] = place - c[0] * plane_;
    }
    if (top_ <= 1) {
      c[1] = divide_down(c[2], row_);
      c[2] -= c[1] * row_;
    }
  }

  void add_box(const wide (&at)[3], wide planes, wide rows, wide columns) {
    const wide extent[3] = {planes, rows, columns};
    box b;
    for (std::size_t d = 0; d < 3; ++d) {
      const wide low = std::max<wide>(at[d], 0),
                 high = std::min(at[d] + extent[d], wide{range_[d]});
      if (low >= high) return;
      b.lo[d] = static_cast<std::uint64_t>(low);
      b.hi[d] = static_cast<std::uint64_t>(high);
    }
    boxes_.push_back(b);
  }

  // Consecutive elements: the rest of a row, rows, the rest of a plane, planes, and the same backwards.
  void add_interval(wide first, wide end) {
    first = std::max<wide>(first, 0);
    end = std::min(end, plane_ * wide{range_[0]});
    while (first < end) {
      wide c[3];
      split(first, c);
      const wide left = end - first;
      wide taken;
      if (c[2] != 0 || left < row_) {
        taken = std::min(row_ - c[2], left);
        add_box(c, 1, 1, taken);
      } else if (c[1] != 0 || left < plane_) {
        const wide rows = std::min(wide{range_[1]} - c[1], left / row_);
        taken = rows * row_;
        add_box(c, 1, rows, row_);
      } else {
        const wide planes = left / plane_;
        taken = planes * plane_;
        add_box(c, planes, wide{range_[1]}, row_);
      }
      first += taken;
    }
  }

  model::extent3 range_;
  std::uint32_t element_;
  bound how_;
  wide row_, plane_;
  int top_;
  bool exact_ = true;
  std::vector<box> boxes_;
};

// The access's bytes. What is not whole groups is, where whole groups are asked for, more or less.
void add(const affine_access& a, const model::extent3& group, const box& ids, box_maker& to,
         bound how) {
  const box mine = intersection(a.ids, ids);
  if (mine.empty() || a.length == 0) return;
  pattern p;
  p.start = a.start;
  p.length = wide{a.length};
  const auto along = [&](wide stride, wide low, wide high) {
    p.start += stride * low;
    p.axes.push_back({stride, high - low});
  };
  for (std::size_t d = 0; d < 3; ++d) {
    const wide size{group[d]}, low{mine.lo[d]}, high{mine.hi[d]};
    const wide local_low = std::min(wide{a.locals.lo[d]}, size);
    const wide local_high = std::min(wide{a.locals.hi[d]}, size);
    if (local_low >= local_high) return;
    if (a.group_stride[d] == 0 && local_low == 0 && local_high == size) {
      along(wide{a.stride[d]}, low, high);
      continue;
    }
    const bool whole = low % size == 0 && high % size == 0;
    if (!whole) to.not_exact();
    const bool more = whole || how == bound::at_most;
    const wide first = more ? divide_down(low, size) : divide_up(low, size);
    const wide end = more ? divide_up(high, size) : divide_down(high, size);
    if (first >= end) return;
    along(wide{a.stride[d]} * size + wide{a.group_stride[d]}, first, end);
    along(wide{a.stride[d]}, local_low, local_high);
  }
  for (const model::access_loop& l : a.loops) {
    if (l.count == 0) return;
    along(wide{l.stride}, 0, wide{l.count});
  }
  to.add(std::move(p));
}

auto shape_of(const affine_access& a) {
  const auto of_box = [](const box& b) {
    return std::make_tuple(b.lo[0], b.lo[1], b.lo[2], b.hi[0], b.hi[1], b.hi[2]);
  };
  const auto of_strides = [](const std::int64_t(&s)[3]) {
    return std::make_tuple(s[0], s[1], s[2]);
  };
  const auto of_loop = [](const model::access_loop& l) {
    return std::make_tuple(l.stride, l.count);
  };
  return std::make_tuple(of_box(a.ids), of_box(a.locals), of_strides(a.stride),
                         of_strides(a.group_stride), of_loop(a.loops[0]), of_loop(a.loops[1]),
                         of_loop(a.loops[2]));
}

// Accesses that lie side by side are one: the members of a struct, the neighbours of a stencil.
std::vector<affine_access> joined(std::vector<affine_access> all) {
  std::sort(all.begin(), all.end(), [](const affine_access& a, const affine_access& b) {
    const auto x = shape_of(a), y = shape_of(b);
    return x < y || (x == y && a.start < b.start);
  });
  std::vector<affine_access> kept;
  for (const affine_access& a : all) {
    if (!kept.empty() && shape_of(kept.back()) == shape_of(a)) {
      affine_access& last = kept.back();
      const wide end = wide{last.start} + wide{last.length};
      if (wide{a.start} <= end) {
        last.length = static_cast<std::uint64_t>(std::max(end, wide{a.start} + wide{a.length}) -
                                                 wide{last.start});
        continue;
      }
    }
    kept.push_back(a);
  }
  return kept;
}

// The same elements in disjoint boxes.
void make_disjoint(std::vector<box>& boxes) {
  std::vector<box> done, rest, next;
  for (const box& b : boxes) {
    rest.assign(1, b);
    for (const box& before : done) {
      next.clear();
      for (const box& r : rest)
        for_each_difference(r, before, [&](const box& left) { next.push_back(left); });
      rest.swap(next);
      if (rest.empty()) break;
    }
    done.insert(done.end(), rest.begin(), rest.end());
  }
  boxes.swap(done);
  merge_boxes(boxes);
}

// Above this many boxes, one around all of them.
constexpr std::size_t max_disjoint = 256;

std::vector<box> elements_of(const std::vector<affine_access>& accesses,
                             const model::extent3& group, const box& ids,
                             const model::buffer_info& buffer, bound how, bool& exact) {
  box_maker maker(buffer, how);
  for (const affine_access& a : accesses) add(a, group, ids, maker, how);
  if (!maker.exact()) exact = false;
  std::vector<box> boxes = std::move(maker.boxes());
  if (boxes.size() > max_disjoint) {
    exact = false;
    box all;
    for (const box& b : boxes) all = hull(all, b);
    boxes.clear();
    if (how == bound::at_most) boxes.push_back(all);
  }
  make_disjoint(boxes);
  return boxes;
}

std::vector<affine_access> selected(const model::footprint& f, bool affine_access::* what) {
  std::vector<affine_access> all;
  for (const affine_access& a : f.accesses)
    if (a.*what) all.push_back(a);
  return joined(std::move(all));
}

}  // namespace

touched_elements elements_touched(const model::footprint& f, const box& ids,
                                  const model::buffer_info& buffer) {
  touched_elements t;
  if (volume(buffer.grid.range()) == 0) return t;
  t.read =
      elements_of(selected(f, &affine_access::read), f.group, ids, buffer, bound::at_most, t.exact);
  const std::vector<affine_access> written = selected(f, &affine_access::written);
  t.written = elements_of(written, f.group, ids, buffer, bound::at_most, t.exact);
  if (f.writes_all)
    t.overwritten = elements_of(written, f.group, ids, buffer, bound::at_least, t.exact);
  return t;
}

}  // namespace pianola::planner
