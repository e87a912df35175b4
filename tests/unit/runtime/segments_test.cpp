// SPDX-License-Identifier: Apache-2.0
// How a plan over devices of several domains is cut.
#include <numeric>
#include <segments.hpp>

namespace pianola::runtime {
namespace {

using indices = std::vector<std::uint32_t>;

// Steps with the lane they are in (lane = domain unless said otherwise) and the steps they wait for.
struct sketch {
  planner::plan plan;
  indices domains;

  void step(std::uint32_t domain, const indices& waits, std::uint32_t lane) {
    while (plan.lanes.size() <= lane) plan.lanes.emplace_back();
    planner::step s;
    s.lane = model::lane_id(lane);
    s.first_wait = static_cast<std::uint32_t>(plan.waits.size());
    s.wait_count = static_cast<std::uint32_t>(waits.size());
    for (const std::uint32_t w : waits) plan.waits.emplace_back(w);
    plan.steps.push_back(s);
    domains.push_back(domain);
  }
  // In a lane of its own.
  void step(std::uint32_t domain, const indices& waits) {
    step(domain, waits, static_cast<std::uint32_t>(plan.lanes.size()));
  }
  [[nodiscard]] segmentation cut() const { return cut_into_segments(plan, domains, 7); }
};

// Every step comes after what it waits for: in its own segment, or in one that its segment is known to follow.
void expect_sound(const sketch& s) {
  const segmentation cut = s.cut();
  const std::size_t n = cut.segments.size();
  std::vector<std::vector<char>> after(n, std::vector<char>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    indices before = cut.segments[i].waits;
    for (std::size_t k = 0; k < i; ++k)
      if (cut.segments[k].domain == cut.segments[i].domain)
        before.push_back(static_cast<std::uint32_t>(k));
    for (const std::uint32_t b : before) {
      ASSERT_LT(b, i);
      after[i][b] = 1;
      for (std::size_t k = 0; k < n; ++k) after[i][k] = after[i][k] || after[b][k];
    }
  }
  indices tail(s.plan.lanes.size(), 0xffffffff);
  for (std::uint32_t i = 0; i < s.plan.steps.size(); ++i) {
    indices before;
    for (const model::step_id w : s.plan.waits_of(s.plan.steps[i]))
      before.push_back(static_cast<std::uint32_t>(w.value()));
    std::uint32_t& last = tail[s.plan.steps[i].lane.value()];
    if (last != 0xffffffff) before.push_back(last);
    last = i;
    const std::uint32_t mine = cut.segment_of[i];
    EXPECT_EQ(cut.segments[mine].domain, s.domains[i]);
    EXPECT_EQ(cut.segments[mine].steps[cut.index_of[i]], i);
    for (const std::uint32_t b : before)
      EXPECT_TRUE(cut.segment_of[b] == mine || after[mine][cut.segment_of[b]])
          << "step " << i << " and step " << b;
  }
  // Everything is over when the ends are.
  for (std::uint32_t i = 0; i < n; ++i) {
    bool covered = false;
    for (const std::uint32_t e : cut.ends) covered = covered || e == i || after[e][i];
    EXPECT_TRUE(covered) << "segment " << i;
  }
}

TEST(segments, of_one_domain_are_one) {
  sketch s;
  s.step(1, {});
  s.step(1, {0});
  s.step(1, {});
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 1U);
  EXPECT_EQ(cut.segments[0].steps, (indices{0, 1, 2}));
  EXPECT_EQ(cut.ends, indices{0});
}

TEST(segments, of_a_plan_without_steps_are_one_of_the_graphs_device) {
  const segmentation cut = sketch().cut();
  ASSERT_EQ(cut.segments.size(), 1U);
  EXPECT_EQ(cut.segments[0].domain, 7U);
  EXPECT_EQ(cut.ends, indices{0});
}

TEST(segments, of_a_chain_change_with_the_domain) {
  sketch s;
  s.step(1, {});
  s.step(0, {0});
  s.step(1, {1});
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.segments[0].waits, indices{});
  EXPECT_EQ(cut.segments[1].waits, indices{0});
  EXPECT_EQ(cut.segments[2].waits, indices{1});
  EXPECT_EQ(cut.ends, indices{2});
}

TEST(segments, take_in_what_does_not_depend_on_the_other_domain) {
  sketch s;
  s.step(1, {});
  s.step(0, {});
  s.step(1, {0});
  s.step(0, {1});
  s.step(1, {2, 3});
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.segments[0].steps, (indices{1, 3}));
  EXPECT_EQ(cut.segments[1].steps, (indices{0, 2}));
  EXPECT_EQ(cut.segments[2].steps, (indices{4}));
  EXPECT_EQ(cut.segments[2].waits, (indices{0}));
}

TEST(segments, follow_the_order_of_lanes_too) {
  sketch s;
  s.step(1, {}, 0);
  s.step(0, {}, 1);
  s.step(0, {0}, 1);  // with its lane: after a step of the other domain
  s.step(0, {}, 1);   // nothing but its lane says that this comes after it
  const segmentation cut = s.cut();
  EXPECT_EQ(cut.segment_of[2], cut.segment_of[3]);
  EXPECT_NE(cut.segment_of[1], cut.segment_of[3]);
  expect_sound(s);
}

TEST(segments, that_nothing_follows_are_all_ends) {
  sketch s;
  s.step(1, {});
  s.step(0, {});
  s.step(2, {0});
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.ends, (indices{0, 2}));
  EXPECT_EQ(cut.segments[0].domain, 0U);
  EXPECT_EQ(cut.segments[2].domain, 2U);
}

TEST(segments, wait_for_each_other_once) {
  sketch s;
  s.step(1, {});
  s.step(0, {0});
  s.step(0, {0});
  s.step(2, {0, 1});
  s.step(2, {0, 2});
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.segments[1].waits, indices{0});
  EXPECT_EQ(cut.segments[2].waits, indices{1});
}

TEST(segments, of_random_plans_keep_every_order) {
  std::uint64_t random = 12345;
  const auto below = [&](std::uint64_t n) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((random >> 33) % n);
  };
  for (int round = 0; round < 300; ++round) {
    sketch s;
    const std::uint32_t n = 1 + below(40), lanes = 1 + below(6), domains = 1 + below(3);
    for (std::uint32_t i = 0; i < n; ++i) {
      indices waits;
      for (std::uint32_t k = below(4); k > 0 && i > 0; --k) waits.push_back(below(i));
      const std::uint32_t lane = below(lanes);
      s.step(lane % domains, waits, lane);
    }
    expect_sound(s);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace pianola::runtime
