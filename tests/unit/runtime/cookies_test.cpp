// SPDX-License-Identifier: Apache-2.0
// What stands for addresses in function objects until there are some, among the values that stand beside it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <pianola/runtime/cookie.hpp>

namespace pianola::runtime {
namespace {

template <class Value>
Value start_of(std::uint64_t word) {
  Value value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// In front of what padding has kept of a cookie there may be any captured value.
void expect_no_usual_value_in_front(std::uint64_t cookie) {
  const auto byte = start_of<std::uint8_t>(cookie);
  for (const int usual : {0, 1, 2, 3, 4, 8, 10, 16, 32, 64, 100, 127, 128, 254, 255})
    EXPECT_NE(byte, usual);
  EXPECT_FALSE(byte >= ' ' && byte <= '~') << byte;
  EXPECT_GT(std::abs(int{start_of<std::int16_t>(cookie)}), 64);
  EXPECT_GT(std::abs(std::int64_t{start_of<std::int32_t>(cookie)}), 4096);
}

TEST(cookies, do_not_begin_with_what_programs_capture) {
  for (int i = 0; i < 10'000; ++i) {
    expect_no_usual_value_in_front(next_accessor_cookie());
    expect_no_usual_value_in_front(next_placeholder_cookie());
    expect_no_usual_value_in_front(make_local_cookie(4 * static_cast<std::uint64_t>(i)));
  }
}

TEST(cookies, are_known_by_their_kind) {
  const std::uint64_t cookie = next_accessor_cookie();
  EXPECT_TRUE(is_cookie(cookie_prefix, cookie));
  EXPECT_FALSE(is_cookie(placeholder_cookie_prefix, cookie));
  EXPECT_FALSE(is_cookie(local_cookie_prefix, cookie));
  EXPECT_NE(next_accessor_cookie(), cookie);
}

TEST(cookies, of_local_memory_tell_its_offset) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t offset = i < 50'000 ? static_cast<std::uint32_t>(i) : random();
    const std::uint64_t cookie = make_local_cookie(offset);
    ASSERT_EQ(local_cookie_offset(cookie), offset);
    ASSERT_TRUE(is_cookie(local_cookie_prefix, cookie));
  }
}

TEST(cookies, are_none_any_more_where_a_byte_has_changed) {
  const std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int still = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t cookie = make_cookie(cookie_prefix, random());
    const int byte = static_cast<int>(random() % 8);
    const std::uint64_t change = (random() % 255 + 1) << (8 * byte);
    still += is_cookie(cookie_prefix, cookie ^ change) ? 1 : 0;
  }
  EXPECT_LT(still, 100);  // another one's, by chance
}

}  // namespace
}  // namespace pianola::runtime
