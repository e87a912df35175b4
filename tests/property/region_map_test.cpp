// SPDX-License-Identifier: Apache-2.0
// The planner's map from boxes to values against an array with a value per element.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <pianola/test/random_scenario.hpp>

#include "../../planner/src/state/merge_boxes.hpp"
#include "../../planner/src/state/region_map.hpp"

namespace {

using namespace pianola;
using model::box;

struct update {
  test::requirement_sketch where;
  std::uint8_t value = 0;
};

box box_of(const test::requirement_sketch& r, const model::extent3& range) {
  box b;
  for (int d = 0; d < 3; ++d) {
    b.lo.c[d] = r.whole ? 0 : r.from[d] % range.c[d];
    b.hi.c[d] = r.whole ? range.c[d] : b.lo.c[d] + 1 + r.size[d] % (range.c[d] - b.lo.c[d]);
  }
  return b;
}

// Every element of the query exactly once, with the oracle's value.
template <class T>
void check_against(const planner::region_map<T>& map, const std::vector<T>& oracle,
                   const model::extent3& range, const box& query) {
  std::vector<int> seen(oracle.size(), 0);
  map.visit(query, [&](const box& b, const T& v) {
    RC_ASSERT(!b.empty());
    RC_ASSERT(contains(query, b));
    test::for_each_element(range, b, [&](std::size_t i) {
      ++seen[i];
      RC_ASSERT(oracle[i] == v);
    });
  });
  std::vector<int> expected(oracle.size(), 0);
  test::for_each_element(range, query, [&](std::size_t i) { expected[i] = 1; });
  RC_ASSERT(seen == expected);
}

RC_GTEST_PROP(RegionMap, holds_what_an_array_holds,
              (const test::buffer_sketch& shape,
               const std::vector<std::pair<test::requirement_sketch, std::uint8_t>>& updates)) {
  const model::extent3 range = test::build_buffer(shape).grid.range();
  planner::region_map<int> map(box::of(range), 0);
  std::vector<int> oracle(model::volume(range), 0);
  for (const auto& [where, value] : updates) {
    const box b = box_of(where, range);
    std::vector<int> seen(oracle.size(), 0);
    // Values 0..2 are written, 3 adds to what is there, 4 looks and changes nothing.
    const int kind = value % 5;
    map.update(b, [&](const box& part, int& v) {
      RC_ASSERT(contains(b, part));
      test::for_each_element(range, part, [&](std::size_t i) {
        ++seen[i];
        RC_ASSERT(oracle[i] == v);
      });
      if (kind == 4) return false;
      v = kind == 3 ? (v + 1) % 4 : kind;
      return true;
    });
    test::for_each_element(range, b, [&](std::size_t i) {
      --seen[i];
      if (kind != 4) oracle[i] = kind == 3 ? (oracle[i] + 1) % 4 : kind;
    });
    RC_ASSERT(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 0; }));
    check_against(map, oracle, range, b);
  }
  check_against(map, oracle, range, box::of(range));
  map.transform([](int& v) { v = v > 1 ? 1 : v; });
  for (int& v : oracle) v = v > 1 ? 1 : v;
  check_against(map, oracle, range, box::of(range));
  map.update(box::of(range), [](const box&, int& v) {
    v = 7;
    return true;
  });
  RC_ASSERT(map.leaf_count() == 1U);
}

RC_GTEST_PROP(RegionMap, stays_shallow_in_whatever_order_blocks_are_written,
              (const std::vector<std::uint8_t>& order)) {
  const std::uint64_t blocks = 4000;
  const model::extent3 range{{1, 1, blocks}};
  planner::region_map<std::uint64_t> map(box::of(range), 0);
  // The drawn numbers choose strides; all blocks are written in the end.
  std::uint64_t at = 0;
  std::vector<bool> written(blocks, false);
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint64_t stride = order.empty() ? 1 : order[k % order.size()];
    at = (at + stride) % blocks;
    while (written[at]) at = (at + 1) % blocks;
    written[at] = true;
    map.update(box{{{0, 0, at}}, {{1, 1, at + 1}}}, [&](const box&, std::uint64_t& v) {
      v = at + 1;
      return true;
    });
  }
  RC_ASSERT(map.leaf_count() == blocks);
  RC_ASSERT(map.depth() <= 40U);
}

TEST(RegionMapDepth, stays_logarithmic_for_tiles_of_a_plane_in_row_and_in_column_order) {
  for (const bool by_columns : {false, true}) {
    const std::uint64_t n = 64;
    const model::extent3 range{{1, n * 4, n * 4}};
    planner::region_map<std::uint64_t> map(box::of(range), 0);
    for (std::uint64_t k = 0; k < n * n; ++k) {
      const std::uint64_t i = by_columns ? k % n : k / n, j = by_columns ? k / n : k % n;
      map.update(box{{{0, i * 4, j * 4}}, {{1, i * 4 + 4, j * 4 + 4}}},
                 [&](const box&, std::uint64_t& v) {
                   v = k + 1;
                   return true;
                 });
    }
    EXPECT_LT(map.leaf_count(), n * n * 5 / 4);
    EXPECT_LE(map.depth(), 48U);
  }
}

TEST(RegionMapDepth, holds_what_an_array_holds_through_thousands_of_overlapping_boxes) {
  std::mt19937_64 random(20261121);
  for (const model::extent3& range : {model::extent3{{1, 1, 5000}}, model::extent3{{1, 120, 120}},
                                      model::extent3{{24, 24, 24}}}) {
    planner::region_map<int> map(box::of(range), 0);
    std::vector<int> oracle(model::volume(range), 0);
    for (int k = 1; k <= 6000; ++k) {
      box b;
      // Mostly small boxes, so that the map stays cut into thousands of leaves.
      for (int d = 0; d < 3; ++d) {
        b.lo.c[d] = random() % range.c[d];
        const std::uint64_t largest =
            std::min<std::uint64_t>(range.c[d] - b.lo.c[d], random() % 50 == 0 ? 40 : 3);
        b.hi.c[d] = b.lo.c[d] + 1 + random() % largest;
      }
      map.update(b, [&](const box&, int& v) {
        v = k % 100;
        return true;
      });
      test::for_each_element(range, b, [&](std::size_t i) { oracle[i] = k % 100; });
    }
    std::size_t seen = 0;
    map.visit(box::of(range), [&](const box& b, int v) {
      test::for_each_element(range, b, [&](std::size_t i) {
        ++seen;
        ASSERT_EQ(oracle[i], v);
      });
    });
    EXPECT_EQ(seen, oracle.size());
    EXPECT_LE(map.depth(), 60U);
  }
}

RC_GTEST_PROP(MergeBoxes, keeps_the_union_and_never_makes_more,
              (const test::buffer_sketch& shape,
               const std::vector<test::requirement_sketch>& cuts)) {
  const model::extent3 range = test::build_buffer(shape).grid.range();
  planner::region_map<int> map(box::of(range), 0);
  int k = 0;
  for (const auto& c : cuts)
    map.update(box_of(c, range), [&](const box&, int& v) {
      v = ++k;
      return true;
    });
  std::vector<box> boxes;
  std::vector<int> covered(model::volume(range), 0);
  map.visit(box::of(range), [&](const box& b, int v) {
    if (v % 3 == 0) return;
    boxes.push_back(b);
    test::for_each_element(range, b, [&](std::size_t i) { ++covered[i]; });
  });
  const std::size_t before = boxes.size();
  planner::merge_boxes(boxes);
  RC_ASSERT(boxes.size() <= before);
  for (const box& b : boxes) test::for_each_element(range, b, [&](std::size_t i) { --covered[i]; });
  RC_ASSERT(std::all_of(covered.begin(), covered.end(), [](int n) { return n == 0; }));
  for (std::size_t i = 0; i < boxes.size() && boxes.size() < 64; ++i)
    for (std::size_t j = 0; j < i; ++j) RC_ASSERT(!planner::form_a_box(boxes[i], boxes[j]));
}

}  // namespace
