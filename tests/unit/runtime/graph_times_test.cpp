// SPDX-License-Identifier: Apache-2.0
// What is kept of the launches of a graph that a recording tells of.
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "recording/graph_times.hpp"

namespace pianola::runtime {
namespace {

TEST(graph_times, keep_the_latest_launches_within_a_bound) {
  graph_times small(3, true), large(graph_times::most_kept, true);
  constexpr std::uint64_t launches = graph_times::most_kept / 3 + 5;
  for (std::uint64_t i = 0; i < launches; ++i) small.keep({i, {}});
  EXPECT_EQ(small.launches.size(), graph_times::most_kept / 3);
  EXPECT_EQ(small.left_out, 5U);
  EXPECT_EQ(small.launches.front().submitted, 5U);
  EXPECT_EQ(small.launches.back().submitted, launches - 1);
  // One is always there.
  for (std::uint64_t i = 0; i < 2; ++i) large.keep({i, {}});
  EXPECT_EQ(large.launches.size(), 1U);
  EXPECT_EQ(large.launches.back().submitted, 1U);
}

}  // namespace
}  // namespace pianola::runtime
