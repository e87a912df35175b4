// SPDX-License-Identifier: Apache-2.0
#include <pianola/recorder/match_commands.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pianola::recorder {
namespace {

using edge_lists = std::vector<std::vector<std::uint64_t>>;  // index: command; what it follows

// Of nothing but empty commands and barriers.
std::vector<model::command> commands(const edge_lists& after,
                                     const std::vector<int>& barriers = {}) {
  std::vector<model::command> made(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) made[i].after = after[i];
  for (const int i : barriers) made[static_cast<std::size_t>(i)].payload = model::barrier_command();
  return made;
}

std::vector<std::uint32_t> counterparts(const std::vector<model::command>& first,
                                        const std::vector<model::command>& other) {
  return match_commands(first, other).counterpart;
}

using places = std::vector<std::uint32_t>;

TEST(MatchCommands, finds_each_where_it_was_if_nothing_has_moved) {
  const edge_lists chain{{}, {0}, {1}}, twins{{}, {}, {0, 1}}, turned{{}, {}, {1, 0}};
  EXPECT_EQ(counterparts(commands(chain), commands(chain)), (places{0, 1, 2}));
  EXPECT_EQ(counterparts(commands(twins), commands(turned)), (places{0, 1, 2}));
  EXPECT_EQ(counterparts(commands({}), commands({})), places());
}

TEST(MatchCommands, finds_what_was_added_in_another_order) {
  // A chain of two and a barrier that stands alone.
  const edge_lists chain_first{{}, {0}, {}}, alone_first{{}, {}, {1}};
  EXPECT_EQ(counterparts(commands(chain_first, {2}), commands(alone_first, {0})),
            (places{1, 2, 0}));
  // Two chains, of which the barriers belong to another one each time.
  const edge_lists two{{}, {0}, {}, {2}};
  EXPECT_EQ(counterparts(commands(two, {1}), commands(two, {3})), (places{2, 3, 0, 1}));
}

// The classes of commands that look alike do not tell which belong together.
TEST(MatchCommands, keeps_those_together_that_are_joined) {
  const edge_lists pairs{{}, {}, {}, {}, {0, 1}, {2, 3}}, others{{}, {}, {}, {}, {0, 3}, {1, 2}};
  const places found = counterparts(commands(pairs), commands(others));
  ASSERT_EQ(found.size(), 6U);
  const auto joined = [&](std::uint32_t end) {
    return end == 4 ? std::vector<std::uint32_t>{0, 3} : std::vector<std::uint32_t>{1, 2};
  };
  for (const std::uint32_t end : {4U, 5U}) {
    places starts{found[2 * (end - 4)], found[2 * (end - 4) + 1]};
    std::sort(starts.begin(), starts.end());
    EXPECT_EQ(starts, joined(found[end]));
  }
}

TEST(MatchCommands, names_one_that_has_no_counterpart) {
  const edge_lists chain{{}, {0}, {1}}, fork{{}, {0}, {0}};
  EXPECT_FALSE(match_commands(commands(chain), commands(fork)));
  EXPECT_TRUE(counterparts(commands(chain), commands(fork)).empty());
  EXPECT_EQ(match_commands(commands(chain, {1}), commands(chain, {})).differs, 1U);
}

}  // namespace
}  // namespace pianola::recorder
