// SPDX-License-Identifier: Apache-2.0
#include "merge_boxes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pianola::planner {

using model::box;

namespace {

// Up to here all orders of axes are tried, and a fresh partition.
constexpr std::size_t few = 24;

bool corner_less(const box& a, const box& b) noexcept {
  for (int d = 0; d < 3; ++d)
    if (a.lo.c[d] != b.lo.c[d]) return a.lo.c[d] < b.lo.c[d];
  return false;
}

// Joins neighbours along one axis; whether any were.
bool join_along(std::vector<box>& boxes, int axis) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  std::sort(boxes.begin(), boxes.end(), [&](const box& a, const box& b) {
    const std::uint64_t x[5] = {a.lo.c[u], a.hi.c[u], a.lo.c[v], a.hi.c[v], a.lo.c[axis]};
    const std::uint64_t y[5] = {b.lo.c[u], b.hi.c[u], b.lo.c[v], b.hi.c[v], b.lo.c[axis]};
    return std::lexicographical_compare(x, x + 5, y, y + 5);
  });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    box& last = boxes[kept];
    const box& next = boxes[i];
    if (last.lo.c[u] == next.lo.c[u] && last.hi.c[u] == next.hi.c[u] &&
        last.lo.c[v] == next.lo.c[v] && last.hi.c[v] == next.hi.c[v] &&
        last.hi.c[axis] == next.lo.c[axis])
      last.hi.c[axis] = next.hi.c[axis];
    else
      boxes[++kept] = next;
  }
  const bool any = kept + 1 < boxes.size();
  boxes.resize(kept + 1);
  return any;
}

void join_in_order(std::vector<box>& boxes, const std::array<int, 3>& axes) {
  for (bool again = true; again && boxes.size() > 1;) {
    again = false;
    for (const int axis : axes) again = join_along(boxes, axis) || again;
  }
}

// Cuts the union anew: the largest box of cells of the common grid, again and again.
std::vector<box> cut_anew(const std::vector<box>& boxes, std::size_t fewer_than) {
  std::vector<std::uint64_t> at[3];
  for (int d = 0; d < 3; ++d) {
    for (const box& b : boxes) {
      at[d].push_back(b.lo.c[d]);
      at[d].push_back(b.hi.c[d]);
    }
    std::sort(at[d].begin(), at[d].end());
    at[d].erase(std::unique(at[d].begin(), at[d].end()), at[d].end());
  }
  const std::size_t n0 = at[0].size() - 1, n1 = at[1].size() - 1, n2 = at[2].size() - 1;
  if (n0 * n1 * n2 > 512) return boxes;
  std::vector<char> full(n0 * n1 * n2, 0);
  auto cell = [&](std::size_t i, std::size_t j, std::size_t k) -> char& {
    return full[(i * n1 + j) * n2 + k];
  };
  std::size_t left = 0;
  for (std::size_t i = 0; i < n0; ++i)
    for (std::size_t j = 0; j < n1; ++j)
      for (std::size_t k = 0; k < n2; ++k)
        for (const box& b : boxes)
          if (b.lo.c[0] <= at[0][i] && at[0][i] < b.hi.c[0] && b.lo.c[1] <= at[1][j] &&
              at[1][j] < b.hi.c[1] && b.lo.c[2] <= at[2][k] && at[2][k] < b.hi.c[2]) {
            cell(i, j, k) = 1;
            ++left;
            break;
          }
  std::vector<box> result;
  while (left > 0) {
    if (result.size() + 1 >= fewer_than) return boxes;
    std::uint64_t best = 0;
    std::size_t from[3] = {}, to[3] = {};
    for (std::size_t i = 0; i < n0; ++i)
      for (std::size_t j = 0; j < n1; ++j)
        for (std::size_t k = 0; k < n2; ++k) {
          if (cell(i, j, k) == 0) continue;
          std::size_t end1 = n1;
          for (std::size_t a = i; a < n0 && cell(a, j, k) != 0; ++a) {
            std::size_t end2 = n2;
            std::size_t b = j;
            for (; b < end1 && cell(a, b, k) != 0; ++b) {
              // The narrowest row of this slab so far, in every slab from i to a.
              std::size_t c = k;
              bool open = true;
              for (; open && c < end2; ++c)
                for (std::size_t s = i; s <= a; ++s)
                  if (cell(s, b, c) == 0) {
                    open = false;
                    --c;
                    break;
                  }
              end2 = std::min(end2, c);
              if (end2 <= k) break;
              const std::uint64_t volume =
                  (at[0][a + 1] - at[0][i]) * (at[1][b + 1] - at[1][j]) * (at[2][end2] - at[2][k]);
              if (volume > best) {
                best = volume;
                from[0] = i, from[1] = j, from[2] = k;
                to[0] = a + 1, to[1] = b + 1, to[2] = end2;
              }
            }
            end1 = b;
          }
        }
    for (std::size_t i = from[0]; i < to[0]; ++i)
      for (std::size_t j = from[1]; j < to[1]; ++j)
        for (std::size_t k = from[2]; k < to[2]; ++k) {
          cell(i, j, k) = 0;
          --left;
        }
    result.push_back(box{{{at[0][from[0]], at[1][from[1]], at[2][from[2]]}},
                         {{at[0][to[0]], at[1][to[1]], at[2][to[2]]}}});
  }
  return result;
}

}  // namespace

bool form_a_box(const box& a, const box& b) noexcept {
  int differing = 0;
  for (int d = 0; d < 3; ++d) {
    if (a.lo.c[d] == b.lo.c[d] && a.hi.c[d] == b.hi.c[d]) continue;
    if (a.hi.c[d] != b.lo.c[d] && b.hi.c[d] != a.lo.c[d]) return false;
    ++differing;
  }
  return differing == 1;
}

void merge_boxes(std::vector<box>& boxes) {
  if (boxes.size() < 2) return;
  if (boxes.size() == 2) {
    if (form_a_box(boxes[0], boxes[1])) {
      boxes[0] = hull(boxes[0], boxes[1]);
      boxes.pop_back();
    }
  } else if (boxes.size() > few) {
    join_in_order(boxes, {2, 1, 0});
  } else {
    constexpr std::array<std::array<int, 3>, 6> orders{
        {{2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2}}};
    std::vector<box> best;
    for (const auto& order : orders) {
      std::vector<box> attempt = boxes;
      join_in_order(attempt, order);
      if (best.empty() || attempt.size() < best.size()) best.swap(attempt);
      if (best.size() == 1) break;
    }
    if (best.size() > 2) {
      std::vector<box> fresh = cut_anew(best, best.size());
      if (fresh.size() < best.size()) best.swap(fresh);
    }
    boxes.swap(best);
  }
  std::sort(boxes.begin(), boxes.end(), corner_less);
}

}  // namespace pianola::planner
