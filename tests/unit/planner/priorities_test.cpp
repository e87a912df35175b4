// SPDX-License-Identifier: Apache-2.0
// Which steps of a graph must not be delayed.
#include <gtest/gtest.h>

#include <pianola/planner/schedule/priorities.hpp>

namespace pianola::planner {
namespace {

struct steps {
  std::vector<double> costs;
  std::vector<std::vector<std::uint32_t>> before;

  void add(double cost, std::vector<std::uint32_t> waits) {
    costs.push_back(cost);
    before.push_back(std::move(waits));
  }
  [[nodiscard]] std::vector<int> urgency() const {
    const std::vector<model::array_view<const std::uint32_t>> waits(before.begin(), before.end());
    return priorities(costs, waits);
  }
};

TEST(priorities, follow_the_longest_way_through_the_graph) {
  steps s;  // from 0 over 1 and 3, or over 2, to 4
  s.add(10, {});
  s.add(10, {0});
  s.add(2, {0});
  s.add(10, {1});
  s.add(10, {2, 3});
  EXPECT_EQ(s.urgency(), (std::vector<int>{-5, -5, -3, -5, -5}));
}

TEST(priorities, count_what_steps_take_and_not_how_many_there_are) {
  steps s;
  s.add(0, {});
  s.add(100, {0});
  s.add(1, {0});
  s.add(1, {2});
  s.add(1, {3});
  EXPECT_EQ(s.urgency(), (std::vector<int>{-5, -5, 0, 0, 0}));
}

TEST(priorities, of_a_chain_are_not_told_apart) {
  steps s;
  s.add(1, {});
  s.add(5, {0});
  s.add(1, {1});
  EXPECT_EQ(s.urgency(), (std::vector<int>{0, 0, 0}));
}

TEST(priorities, of_steps_that_are_as_urgent_are_not_told_apart) {
  steps s;
  s.add(1, {});
  for (int i = 0; i < 3; ++i) s.add(5, {0});
  EXPECT_EQ(s.urgency(), (std::vector<int>{0, 0, 0, 0}));
}

TEST(priorities, of_steps_that_take_nothing_are_the_lowest) {
  steps s;
  s.add(0, {});
  s.add(0, {});
  EXPECT_EQ(s.urgency(), (std::vector<int>{0, 0}));
  EXPECT_TRUE(steps().urgency().empty());
}

}  // namespace
}  // namespace pianola::planner
