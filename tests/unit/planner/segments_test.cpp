// SPDX-License-Identifier: Apache-2.0
// How a plan over devices of several domains is cut.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan_sketch.hpp"

namespace pianola::planner {
namespace {

using namespace sketches;

// What follows from the order inside of segments and from the waits of the segmentation, without the `left_out`th of them.
relation given_order(const sketch& s, const segmentation& cut,
                     std::size_t left_out = ~std::size_t{0}) {
  const std::size_t n = s.domains.size();
  relation after(n, std::vector<char>(n, 0));
  std::size_t number = 0;
  for (std::uint32_t index = 0; index < cut.segments.size(); ++index) {
    const graph_segment& segment = cut.segments[index];
    indices waits;
    for (const std::uint32_t w : segment.waits)
      if (number++ != left_out) waits.push_back(w);
    std::vector<indices> inner(n);
    for (const graph_segment::inner_wait& w : segment.inner_waits)
      if (number++ != left_out) inner[w.step].push_back(w.on);
    for (const std::uint32_t i : segment.steps) {
      for (const std::uint32_t w : waits) comes_after(after, i, w);
      for (const std::uint32_t w : inner[i]) comes_after(after, i, w);
      for (const std::uint32_t b : s.right_before(i))
        if (cut.segment_of[b] == index) comes_after(after, i, b);
    }
  }
  return after;
}

std::size_t number_of_waits(const segmentation& cut) {
  std::size_t n = 0;
  for (const graph_segment& s : cut.segments) n += s.waits.size() + s.inner_waits.size();
  return n;
}

// `exact`: nothing waits for more than it has to, or twice.
void expect_sound(const sketch& s, const segmentation& cut, bool exact) {
  const std::size_t n = s.domains.size();
  for (std::uint32_t i = 0; i < cut.segments.size(); ++i) {
    const graph_segment& segment = cut.segments[i];
    EXPECT_TRUE(std::is_sorted(segment.steps.begin(), segment.steps.end()));
    const auto earlier = [&](std::uint32_t step, bool same_domain) {
      ASSERT_LT(cut.segment_of[step], i);
      EXPECT_EQ(cut.segments[cut.segment_of[step]].domain == segment.domain, same_domain);
    };
    for (const std::uint32_t w : segment.waits) earlier(w, false);
    for (const graph_segment::inner_wait& w : segment.inner_waits) {
      EXPECT_EQ(cut.segment_of[w.step], i);
      earlier(w.on, true);
    }
  }
  const relation wanted = wanted_order(s), given = given_order(s, cut);
  for (std::uint32_t i = 0; i < n; ++i) {
    const graph_segment& segment = cut.segments[cut.segment_of[i]];
    EXPECT_EQ(segment.domain, s.domains[i]);
    EXPECT_EQ(segment.steps[cut.index_of[i]], i);
    bool closes = cut.segments.size() > 1;
    for (const std::uint32_t k : segment.steps) closes = closes && (k == i || wanted[i][k]);
    EXPECT_EQ(cut.closes[i] != 0, closes) << "step " << i;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (wanted[i][k]) {
        EXPECT_TRUE(given[i][k]) << "step " << i << " comes after step " << k;
      } else if (exact) {
        EXPECT_FALSE(given[i][k]) << "step " << i << " need not wait for step " << k;
      }
    }
  }
  for (std::size_t w = 0; exact && w < number_of_waits(cut); ++w)
    EXPECT_TRUE(given_order(s, cut, w) != given) << "wait " << w << " is not needed";
}

TEST(segments, of_one_domain_are_one) {
  sketch s;
  s.step(1, {});
  s.step(1, {0});
  s.step(1, {});
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 1U);
  EXPECT_EQ(cut.segments[0].steps, (indices{0, 1, 2}));
}

TEST(segments, of_a_plan_without_steps_are_one_of_the_graphs_device) {
  const segmentation cut = sketch().cut();
  ASSERT_EQ(cut.segments.size(), 1U);
  EXPECT_EQ(cut.segments[0].domain, 7U);
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
  EXPECT_TRUE(cut.segments[2].inner_waits.empty());  // follows from the other
  EXPECT_EQ(cut.closes, (std::vector<char>{1, 1, 1}));
}

TEST(segments, do_not_hold_up_a_step_for_what_others_wait_for) {
  sketch s;  // two pipelines
  for (std::uint32_t i = 0; i < 2; ++i) {
    s.step(0, {});
    s.step(1, {2 * i});
  }
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.segments[0].steps, (indices{0, 2}));
  EXPECT_EQ(cut.segments[1].waits, indices{0});
  EXPECT_EQ(cut.segments[2].waits, indices{2});
  EXPECT_EQ(cut.closes[0], 0);
  EXPECT_EQ(cut.closes[2], 0);
}

TEST(segments, wait_for_steps_in_the_middle_of_others) {
  sketch s;
  s.step(1, {}, 0);
  s.step(1, {}, 0);  // goes on while the other domain works
  s.step(0, {0}, 1);
  s.step(1, {2}, 2);
  s.step(1, {1}, 2);  // needs both
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.segments[1].waits, indices{0});
  EXPECT_EQ(cut.closes[0], 0);
  EXPECT_EQ(cut.segments[2].waits, indices{2});
  ASSERT_EQ(cut.segments[2].inner_waits.size(), 1U);
  EXPECT_EQ(cut.segments[2].inner_waits[0].step, 4U);
  EXPECT_EQ(cut.segments[2].inner_waits[0].on, 1U);
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
  EXPECT_EQ(cut.segments[0].steps, (indices{0, 2}));
  EXPECT_EQ(cut.segments[1].steps, (indices{1, 3}));
  EXPECT_EQ(cut.segments[2].steps, (indices{4}));
  EXPECT_EQ(cut.segments[2].waits, (indices{3}));
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
  expect_sound(s, cut, true);
}

TEST(segments, wait_for_each_other_once) {
  sketch s;
  s.step(1, {});
  s.step(0, {0});
  s.step(0, {0, 1});
  s.step(2, {0, 1, 2});
  s.step(2, {0, 2});
  const segmentation cut = s.cut();
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.segments[1].waits, indices{0});
  EXPECT_EQ(cut.segments[2].waits, indices{2});
}

TEST(segments, become_few_and_long_where_there_would_be_too_many) {
  sketch s;
  for (std::uint32_t i = 0; i < 20; ++i) {
    s.step(0, {});
    s.step(1, {2 * i});
  }
  EXPECT_EQ(s.cut(21).segments.size(), 21U);
  const segmentation few = s.cut(20);
  ASSERT_EQ(few.segments.size(), 2U);
  EXPECT_EQ(few.segments[1].waits.size(), 20U);
}

TEST(segments, of_random_plans_keep_every_order_and_add_none) {
  number_source numbers(12345);
  for (int round = 0; round < 400; ++round) {
    const sketch s = draw_sketch(numbers).plan;
    expect_sound(s, s.cut(), true);
    expect_sound(s, s.cut(3), false);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace pianola::planner
