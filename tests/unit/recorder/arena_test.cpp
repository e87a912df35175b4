// SPDX-License-Identifier: Apache-2.0
#include <pianola/model/arena.hpp>

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace {

using pianola::model::arena;

constexpr std::size_t block = 64;

bool lies_in(const pianola::model::array_view<unsigned char>& room, const void* p,
             std::size_t bytes) {
  const auto* const at = static_cast<const unsigned char*>(p);
  return at >= room.data() && at + bytes <= room.data() + room.size();
}

TEST(Arena, gives_out_of_one_piece_what_was_reserved) {
  arena a(block);
  static_cast<void>(a.allocate(1, 1));
  const auto room = a.reserve(20 * block);
  ASSERT_GE(room.size(), 20 * block);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(lies_in(room, a.allocate(block, 1), block)) << i;
}

TEST(Arena, reserves_nothing_where_there_is_room) {
  arena a(block);
  const auto* const first = static_cast<unsigned char*>(a.allocate(8, 8));
  const auto room = a.reserve(block - 8);
  EXPECT_EQ(room.data(), first + 8);
  EXPECT_EQ(room.size(), block - 8);
  EXPECT_EQ(a.allocate(block - 8, 1), first + 8);
}

TEST(Arena, reserves_nothing_at_all_for_nothing) {
  arena a(block);
  EXPECT_EQ(a.reserve(0).size(), 0U);
}

}  // namespace
