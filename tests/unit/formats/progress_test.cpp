// SPDX-License-Identifier: Apache-2.0
#include <pianola/formats/progress.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/formats/json_reader.hpp>

namespace {

using pianola::formats::forget_progress;
using pianola::formats::json_reader;
using pianola::formats::percent_done;
using pianola::formats::tell_progress;

TEST(progress, is_what_was_told_last) {
  forget_progress();
  EXPECT_FALSE(percent_done().has_value());
  tell_progress(1, 3);
  EXPECT_EQ(percent_done(), 33U);
  tell_progress(7, 3);
  EXPECT_EQ(percent_done(), 100U);
  tell_progress(0, 0);
  EXPECT_FALSE(percent_done().has_value()) << "nobody knows how much there is";
  tell_progress(1, 1);
  forget_progress();
  EXPECT_FALSE(percent_done().has_value());
}

TEST(progress, of_a_long_text_goes_from_its_beginning_to_its_end) {
  std::string text = "[";
  while (text.size() < std::size_t{3} << 20) text += "12345678, ";
  text += "0]";
  forget_progress();
  std::vector<unsigned> seen;
  json_reader reader(text, "text");
  reader.array([&](std::uint64_t) {
    static_cast<void>(reader.whole_number());
    const auto now = percent_done();
    if (now && (seen.empty() || seen.back() != *now)) seen.push_back(*now);
  });
  reader.end();
  ASSERT_GT(seen.size(), 90U);
  EXPECT_LE(seen.front(), 1U);
  EXPECT_GE(seen.back(), 99U);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GT(seen[i], seen[i - 1]);
  forget_progress();
  json_reader small("[1]", "text");
  small.array([&](std::uint64_t) { static_cast<void>(small.whole_number()); });
  EXPECT_FALSE(percent_done().has_value()) << "it may be a part of something else";
}

}  // namespace
