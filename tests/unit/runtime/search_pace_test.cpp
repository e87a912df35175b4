// SPDX-License-Identifier: Apache-2.0
// Which commands of a queue that captures are searched for repetitions.
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "capture/search_pace.hpp"

namespace pianola::runtime {
namespace {

// Of a loop's command.
std::uint8_t key(std::uint64_t i, std::uint32_t period) {
  return static_cast<std::uint8_t>((i % period + period) * 0x9e3779b97f4a7c15ULL >> 56);
}

std::uint32_t rest_after_all(search_pace& pace) {
  std::mt19937 random(1);
  std::uint32_t searched = 0;
  for (; pace.is_searching(); ++searched) pace.advance(false, static_cast<std::uint8_t>(random()));
  return searched;
}

TEST(search_pace, everything_is_searched_at_first_and_nothing_where_there_is_no_sign) {
  search_pace pace;
  EXPECT_EQ(rest_after_all(pace), search_pace::at_first + 1);
  std::mt19937 random(2);
  for (int i = 0; i < 200'000; ++i) {
    pace.advance(false, static_cast<std::uint8_t>(random()));
    ASSERT_FALSE(pace.is_searching()) << i;
  }
}

// A loop is searched before it has come sixteen times, and for so long that it is captured.
TEST(search_pace, a_loop_that_begins_late_is_searched) {
  for (const std::uint32_t period : {1U, 2U, 7U, 64U, 65U, 500U, 4000U}) {
    SCOPED_TRACE(period);
    search_pace pace;
    static_cast<void>(rest_after_all(pace));
    std::mt19937 random(period);
    for (int i = 0; i < 50'000; ++i) pace.advance(false, static_cast<std::uint8_t>(random()));
    std::uint32_t i = 0;
    while (!pace.is_searching()) {
      ASSERT_LT(i, 10 * period + 256);
      pace.advance(false, key(i++, period));
    }
    std::uint32_t searched = 0;
    for (; pace.is_searching(); ++searched) pace.advance(false, key(i++, period));
    EXPECT_GE(searched, 3 * period);
  }
}

// Signs that come to nothing cost a sixteenth at most, however many there are.
TEST(search_pace, little_is_searched_where_signs_come_to_nothing) {
  for (const std::uint32_t period : {1U, 3U, 100U, 1000U}) {
    SCOPED_TRACE(period);
    search_pace pace;
    static_cast<void>(rest_after_all(pace));
    std::uint64_t searched = 0;
    constexpr std::uint64_t commands = 1'000'000;
    for (std::uint64_t i = 0; i < commands; ++i) {
      pace.advance(false, key(i, period));
      searched += pace.is_searching() ? 1 : 0;
    }
    EXPECT_GT(searched, 0U);
    EXPECT_LE(searched, commands / 16 + 4 * search_pace::stretch_for(4096));
  }
}

TEST(search_pace, a_stretch_in_which_something_is_copied_goes_on) {
  search_pace pace;
  for (std::uint32_t i = 0; i < 2 * search_pace::at_first; ++i) pace.advance(true, 0);
  EXPECT_TRUE(pace.is_searching());
  pace.advance(false, 0);
  EXPECT_FALSE(pace.is_searching());
}

TEST(search_pace, everything_is_searched_again_once_something_repeats_itself) {
  search_pace pace;
  static_cast<void>(rest_after_all(pace));
  ASSERT_FALSE(pace.is_searching());
  pace.start_over();
  EXPECT_EQ(rest_after_all(pace), search_pace::at_first + 1);
}

}  // namespace
}  // namespace pianola::runtime
