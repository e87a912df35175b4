// SPDX-License-Identifier: Apache-2.0
// Which thread does which step of a graph, and what it waits for.
#include <gtest/gtest.h>

#include <pianola/planner/schedule/strands.hpp>

#include <algorithm>

namespace pianola::planner {
namespace {

constexpr double long_time = 1e6, short_time = 10;

struct graph : part_knowledge {
  std::vector<strand_node> nodes;
  std::vector<std::uint32_t> waits;
  bool parts_are_independent = false;

  strand_node& add(double cost, const std::vector<std::uint32_t>& before) {
    strand_node n;
    n.cost = cost;
    n.first_wait = static_cast<std::uint32_t>(waits.size());
    n.wait_count = static_cast<std::uint32_t>(before.size());
    waits.insert(waits.end(), before.begin(), before.end());
    return nodes.emplace_back(n);
  }
  void add_divisible(double cost, const std::vector<std::uint32_t>& before) {
    strand_node& n = add(cost, before);
    n.divisible = n.touches_known = true;
  }
  [[nodiscard]] bool independent(std::uint32_t earlier, std::uint32_t later) const override {
    EXPECT_LT(earlier, later);
    return parts_are_independent;
  }
  [[nodiscard]] strand_schedule on(unsigned strands) const {
    return assign_strands(nodes, waits, strands, *this);
  }
};

std::size_t strand_of(const strand_schedule& s, std::uint32_t node) {
  for (std::size_t t = 0; t < s.strands.size(); ++t)
    for (const strand_item& it : s.strands[t])
      if (it.node == node) return t;
  return s.strands.size();
}

TEST(strands, keep_a_chain_together) {
  graph g;
  g.add(long_time, {});
  for (std::uint32_t i = 0; i < 4; ++i) g.add(long_time, {i});
  const strand_schedule s = g.on(3);
  EXPECT_EQ(s.strands[0].size(), 5U);
  EXPECT_TRUE(s.waits.empty());
}

TEST(strands, share_what_does_not_wait_for_each_other) {
  graph g;
  for (int i = 0; i < 4; ++i) g.add(long_time, {});
  const strand_schedule s = g.on(2);
  EXPECT_EQ(s.strands[0].size(), 2U);
  EXPECT_EQ(s.strands[1].size(), 2U);
}

TEST(strands, do_not_hand_over_what_takes_less_than_that) {
  graph g;
  g.add(long_time, {});
  g.add(short_time, {0});
  g.add(short_time, {0});
  EXPECT_EQ(g.on(2).strands[0].size(), 3U);
}

TEST(strands, leave_what_may_block_to_the_thread_that_runs_the_graph) {
  graph g;
  for (int i = 0; i < 4; ++i) g.add(long_time, {}).blocking = true;
  EXPECT_EQ(g.on(4).strands[0].size(), 4U);
}

TEST(strands, cut_what_takes_long_into_a_part_for_each) {
  graph g;
  g.add_divisible(long_time, {});
  g.add(long_time, {0});
  const strand_schedule s = g.on(3);
  for (std::size_t t = 0; t < 3; ++t) {
    ASSERT_FALSE(s.strands[t].empty());
    EXPECT_EQ(s.strands[t][0].node, 0U);
    EXPECT_FALSE(s.strands[t][0].whole);
  }
  const std::size_t last = strand_of(s, 0) == 0 ? 0 : 1;
  ASSERT_EQ(s.strands[last].size(), 2U);
  EXPECT_TRUE(s.strands[last][1].whole);
  EXPECT_EQ(s.strands[last][1].wait_count, 2U) << "for the parts of both others";
}

TEST(strands, cut_sooner_where_the_next_step_waits_anyway) {
  const strand_costs costs;
  const double between = (costs.cut_from + costs.cut_in_chain_from) / 2;
  for (const bool chain : {true, false}) {
    graph g;
    g.add_divisible(between, {});
    g.add(long_time, chain ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{});
    EXPECT_EQ(g.on(2).strands[0][0].whole, !chain);
  }
}

TEST(strands, leave_out_waits_between_parts_that_are_independent) {
  for (const bool independent : {true, false}) {
    graph g;
    g.parts_are_independent = independent;
    g.add_divisible(long_time, {});
    g.add_divisible(long_time, {0});
    const strand_schedule s = g.on(2);
    EXPECT_EQ(s.waits.empty(), independent);
    EXPECT_EQ(s.relies_on_knowledge, independent);
    EXPECT_EQ(s.relations[1].open.size(), independent ? 1U : 0U);
    EXPECT_EQ(s.relations[1].ended.size(), independent ? 0U : 1U);
  }
}

TEST(strands, wait_behind_independent_parts_for_all_that_is_open) {
  graph g;
  g.parts_are_independent = true;
  g.add_divisible(long_time, {});
  g.add_divisible(long_time, {0});
  g.add(long_time, {1});
  const strand_schedule s = g.on(2);
  const std::size_t t = s.strands[0].size() == 3 ? 0 : 1;
  ASSERT_EQ(s.strands[t].size(), 3U);
  ASSERT_EQ(s.strands[t][2].wait_count, 1U);
  EXPECT_EQ(s.waits[s.strands[t][2].first_wait].count, 2U) << "the other part of the second one";
}

// Follows the strands in random orders that their waits allow.
TEST(strands, of_random_graphs_keep_every_order_and_never_wait_for_ever) {
  std::uint64_t random = 99;
  const auto below = [&](std::uint64_t n) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((random >> 33) % n);
  };
  for (int round = 0; round < 300; ++round) {
    graph g;
    const std::uint32_t n = 1 + below(40);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<std::uint32_t> before;
      for (std::uint32_t k = below(4); k > 0 && i > 0; --k) before.push_back(below(i));
      strand_node& node = g.add(below(3) == 0 ? long_time : short_time, before);
      node.divisible = below(2) == 0;
      node.blocking = !node.divisible && below(5) == 0;
    }
    const strand_schedule s = g.on(1 + below(5));
    std::vector<std::size_t> at(s.strands.size(), 0), items_left(n, 0);
    for (const auto& strand : s.strands)
      for (const strand_item& it : strand) ++items_left[it.node];
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_GT(items_left[i], 0U);
    for (;;) {
      std::vector<std::size_t> ready;
      bool ended = true;
      for (std::size_t t = 0; t < at.size(); ++t) {
        if (at[t] == s.strands[t].size()) continue;
        ended = false;
        const strand_item& it = s.strands[t][at[t]];
        if (std::all_of(s.waits.begin() + it.first_wait,
                        s.waits.begin() + it.first_wait + it.wait_count,
                        [&](const strand_wait& w) { return at[w.strand] >= w.count; }))
          ready.push_back(t);
      }
      if (ended) break;
      ASSERT_FALSE(ready.empty()) << "round " << round << ": the strands wait for each other";
      const std::size_t t = ready[below(ready.size())];
      const strand_item& it = s.strands[t][at[t]++];
      const strand_node& node = g.nodes[it.node];
      if (node.blocking) {
        ASSERT_EQ(t, 0U);
      }
      for (std::uint32_t w = 0; w < node.wait_count; ++w)
        ASSERT_EQ(items_left[g.waits[node.first_wait + w]], 0U)
            << "round " << round << ", node " << it.node;
      --items_left[it.node];
    }
  }
}

}  // namespace
}  // namespace pianola::planner
