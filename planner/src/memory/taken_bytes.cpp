// SPDX-License-Identifier: Apache-2.0
#include "memory/taken_bytes.hpp"

#include <algorithm>
#include <bit>

#include <pianola/model/saturating.hpp>

namespace pianola::planner {

namespace {

byte_ranges::interval_type range(std::uint64_t from, std::uint64_t to) { return {from, to}; }

}  // namespace

taken_bytes::taken_bytes(std::uint32_t points)
    : points_(std::bit_ceil(std::max<std::uint32_t>(points, 1))),
      nodes_(2 * std::size_t{points_}) {}

// The nodes whose points are all in [first, last], the topmost of them, are `whole`; those above them are `part`.
template <class Tree, class Part, class Whole>
void taken_bytes::walk(Tree& nodes, std::size_t at, std::uint32_t from, std::uint32_t to,
                       std::uint32_t first, std::uint32_t last, const Part& part,
                       const Whole& whole) {
  if (last < from || to <= first) return;
  if (first <= from && to - 1 <= last) {
    whole(nodes[at]);
    return;
  }
  part(nodes[at]);
  const std::uint32_t middle = from + (to - from) / 2;
  walk(nodes, 2 * at, from, middle, first, last, part, whole);
  walk(nodes, 2 * at + 1, middle, to, first, last, part, whole);
}

void taken_bytes::take(std::uint32_t first, std::uint32_t last, std::uint64_t from,
                       std::uint64_t to) {
  walk(
      nodes_, 1, 0, points_, first, last, [&](node& n) { n.ever.add(range(from, to)); },
      [&](node& n) {
        n.ever.add(range(from, to));
        n.throughout.add(range(from, to));
      });
}

void taken_bytes::find(std::uint32_t first, std::uint32_t last,
                       std::vector<const byte_ranges*>& out) const {
  const auto add = [&](const byte_ranges& r) {
    if (!boost::icl::is_empty(r)) out.push_back(&r);
  };
  walk(
      nodes_, 1, 0, points_, first, last, [&](const node& n) { add(n.throughout); },
      [&](const node& n) { add(n.ever); });
}

std::uint64_t lowest_gap(const std::vector<const byte_ranges*>& taken, std::uint64_t bytes,
                         std::uint64_t& looked_at) {
  std::uint64_t at = 0;
  // Until each of the sets, one after the other, has nothing there.
  for (std::size_t set = 0, free_in = 0; free_in < taken.size(); set = (set + 1) % taken.size()) {
    const std::uint64_t before = at;
    if (at == ~std::uint64_t{0}) break;  // all that can be counted is taken
    const byte_ranges& ranges = *taken[set];
    for (auto r = ranges.lower_bound(range(at, model::saturating_add(at, bytes)));
         r != ranges.end() && r->lower() < model::saturating_add(at, bytes); ++r) {
      at = r->upper();
      ++looked_at;
    }
    ++looked_at;
    free_in = at == before ? free_in + 1 : 1;
  }
  return at;
}

}  // namespace pianola::planner
