// SPDX-License-Identifier: Apache-2.0
// Which commands of a queue that captures are searched for repetitions.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "capture/search_pace.hpp"

namespace pianola::runtime {
namespace {

// Lengths of the stretches that are searched, and of those that are not, in turns.
std::vector<std::uint32_t> stretches_of(search_pace& pace, std::uint32_t commands) {
  std::vector<std::uint32_t> lengths{0};
  bool searching = true;
  for (std::uint32_t i = 0; i < commands; ++i) {
    pace.advance(false);
    if (pace.is_searching() != searching) {
      searching = !searching;
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  return lengths;
}

TEST(search_pace, everything_is_searched_at_first) {
  search_pace pace;
  EXPECT_EQ(stretches_of(pace, search_pace::at_first),
            std::vector<std::uint32_t>{search_pace::at_first});
}

TEST(search_pace, a_sixteenth_is_searched_where_nothing_repeats_itself) {
  search_pace pace;
  static_cast<void>(stretches_of(pace, search_pace::at_first));
  std::uint32_t once = 0;  // until stretches are as short again
  for (std::uint32_t length = search_pace::shortest; length <= search_pace::longest; length *= 2)
    once += length;
  const std::vector<std::uint32_t> lengths = stretches_of(pace, 2 * 16 * once);
  std::uint32_t searched = 0;
  for (std::size_t i = 0; i < lengths.size(); i += 2) searched += lengths[i];
  EXPECT_EQ(searched, 2 * once);
}

TEST(search_pace, stretches_grow_to_what_long_repetitions_need_and_begin_again) {
  search_pace pace;
  const std::vector<std::uint32_t> lengths = stretches_of(pace, 1'200'000);
  std::vector<std::uint32_t> expected{search_pace::at_first};
  std::uint32_t length = search_pace::shortest;
  while (expected.size() + 1 < lengths.size()) {
    expected.push_back(search_pace::rests_per_search * length);
    expected.push_back(length);
    length = length == search_pace::longest ? search_pace::shortest : 2 * length;
  }
  expected.resize(lengths.size() - 1);  // the last one has not ended
  ASSERT_GT(expected.size(), 16U);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), lengths.begin()));
}

TEST(search_pace, a_stretch_in_which_something_is_copied_goes_on) {
  search_pace pace;
  for (std::uint32_t i = 0; i < 2 * search_pace::at_first; ++i) pace.advance(true);
  EXPECT_TRUE(pace.is_searching());
  pace.advance(false);
  EXPECT_FALSE(pace.is_searching());
  pace.advance(true);
  EXPECT_FALSE(pace.is_searching());
}

TEST(search_pace, everything_is_searched_again_once_something_repeats_itself) {
  search_pace pace;
  static_cast<void>(stretches_of(pace, search_pace::at_first + 100));
  ASSERT_FALSE(pace.is_searching());
  pace.start_over();
  EXPECT_EQ(stretches_of(pace, search_pace::at_first),
            std::vector<std::uint32_t>{search_pace::at_first});
}

}  // namespace
}  // namespace pianola::runtime
