// SPDX-License-Identifier: Apache-2.0
#include "state/merge_boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pianola::planner {
namespace {

using model::box;

box cells(std::uint64_t i, std::uint64_t j, std::uint64_t to_i, std::uint64_t to_j) {
  return {{{0, i, j}}, {{1, to_i, to_j}}};
}

// Fewest boxes that partition a set of cells of a 3 x 4 grid, by trying everything.
std::vector<int> fewest_for_every_set() {
  std::vector<std::uint32_t> boxes;
  for (std::uint64_t i = 0; i < 3; ++i)
    for (std::uint64_t j = 0; j < 4; ++j)
      for (std::uint64_t k = i + 1; k <= 3; ++k)
        for (std::uint64_t l = j + 1; l <= 4; ++l) {
          std::uint32_t set = 0;
          for (std::uint64_t a = i; a < k; ++a)
            for (std::uint64_t b = j; b < l; ++b) set |= 1U << (a * 4 + b);
          boxes.push_back(set);
        }
  std::vector<int> fewest(1 << 12, 100);
  fewest[0] = 0;
  for (std::uint32_t set = 1; set < fewest.size(); ++set)
    for (const std::uint32_t b : boxes)
      // The box that holds the lowest cell.
      if ((b & ~set) == 0 && (b & set & (0 - set)) != 0)
        fewest[set] = std::min(fewest[set], fewest[set & ~b] + 1);
  return fewest;
}

TEST(MergeBoxes, finds_nearly_the_fewest_boxes_for_every_set_of_cells_of_a_small_grid) {
  const std::vector<int> fewest = fewest_for_every_set();
  int worse = 0;
  for (std::uint32_t set = 1; set < fewest.size(); ++set) {
    std::vector<box> boxes;
    for (std::uint32_t c = 0; c < 12; ++c)
      if ((set >> c & 1) != 0) boxes.push_back(cells(c / 4, c % 4, c / 4 + 1, c % 4 + 1));
    merge_boxes(boxes);
    std::uint32_t covered = 0;
    for (const box& b : boxes)
      for (std::uint64_t i = b.lo.c[1]; i < b.hi.c[1]; ++i)
        for (std::uint64_t j = b.lo.c[2]; j < b.hi.c[2]; ++j) {
          EXPECT_EQ(covered >> (i * 4 + j) & 1, 0U);
          covered |= 1U << (i * 4 + j);
        }
    EXPECT_EQ(covered, set);
    EXPECT_LE(static_cast<int>(boxes.size()), fewest[set] + 1);
    worse += static_cast<int>(boxes.size()) != fewest[set] ? 1 : 0;
  }
  EXPECT_LE(worse, 40) << "of 4095";
}

TEST(MergeBoxes, cuts_anew_what_was_cut_badly) {
  // A 4 x 4 square as a pinwheel around its middle.
  std::vector<box> boxes{cells(0, 0, 1, 3), cells(0, 3, 3, 4), cells(3, 1, 4, 4), cells(1, 0, 4, 1),
                         cells(1, 1, 3, 3)};
  merge_boxes(boxes);
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes[0], cells(0, 0, 4, 4));
}

TEST(MergeBoxes, joins_a_thousand_tiles) {
  std::vector<box> boxes;
  for (std::uint64_t i = 0; i < 40; ++i)
    for (std::uint64_t j = 0; j < 25; ++j) boxes.push_back(cells(i, j, i + 1, j + 1));
  std::reverse(boxes.begin(), boxes.end());
  merge_boxes(boxes);
  EXPECT_EQ(boxes, (std::vector<box>{cells(0, 0, 40, 25)}));
}

TEST(MergeBoxes, tells_whether_two_boxes_form_one) {
  EXPECT_TRUE(form_a_box(cells(0, 0, 2, 2), cells(2, 0, 5, 2)));
  EXPECT_FALSE(form_a_box(cells(0, 0, 2, 2), cells(3, 0, 5, 2)));
  EXPECT_FALSE(form_a_box(cells(0, 0, 2, 2), cells(2, 0, 5, 3)));
  EXPECT_FALSE(form_a_box(cells(0, 0, 2, 2), cells(2, 2, 3, 3)));
}

}  // namespace
}  // namespace pianola::planner
