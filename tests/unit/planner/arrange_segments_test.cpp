// SPDX-License-Identifier: Apache-2.0
// What the segments of a cut plan wait for, and in which lanes they run.
#include <gtest/gtest.h>

#include <pianola/planner/schedule/arrange_segments.hpp>

#include <algorithm>

#include "plan_sketch.hpp"

namespace pianola::planner {
namespace {

using namespace sketches;

constexpr graph_capabilities nothing{false, false}, signals{true, false}, all{true, true};
using capabilities = std::vector<graph_capabilities>;

// Two pipelines of domains 0 and 1: segment 0 is the first steps of both, 1 and 2 are the others.
sketch two_pipelines() {
  sketch s;
  for (std::uint32_t i = 0; i < 2; ++i) {
    s.step(0, {});
    s.step(1, {2 * i});
  }
  return s;
}

// Segment 2 waits for a step in the middle of segment 0, which is of its domain.
sketch middle_of_another() {
  sketch s;
  s.step(1, {}, 0);
  s.step(1, {}, 0);
  s.step(0, {0}, 1);
  s.step(1, {2}, 2);
  s.step(1, {1}, 2);
  return s;
}

TEST(arrange_segments, lets_the_only_segment_run_in_the_graphs_lane) {
  const segment_arrangement a = arrange_segments(sketch().cut(), capabilities(8));
  ASSERT_EQ(a.segments.size(), 1U);
  EXPECT_EQ(a.segments[0].lane, arranged_segment::own_lane);
  EXPECT_TRUE(a.segments[0].first);
  EXPECT_TRUE(a.lanes.empty());
  EXPECT_EQ(a.ends, indices{0});
}

TEST(arrange_segments, waits_for_single_steps_of_those_that_can_tell) {
  const segmentation cut = two_pipelines().cut();
  const segment_arrangement a = arrange_segments(cut, capabilities{signals, nothing});
  ASSERT_EQ(a.segments[1].waits.size(), 1U);
  EXPECT_EQ(a.segments[1].waits[0].segment, 0U);
  EXPECT_EQ(a.segments[1].waits[0].step, 0U);
  ASSERT_EQ(a.segments[2].waits.size(), 1U);
  EXPECT_EQ(a.segments[2].waits[0].step, 1U);
  EXPECT_EQ(a.segments[0].signals, (indices{0, 1}));
  EXPECT_EQ(a.ends, (indices{0, 1, 2}));
  EXPECT_EQ(a.lanes, (indices{0, 1, 1}));
}

TEST(arrange_segments, waits_for_the_end_of_those_that_cannot_tell) {
  const segmentation cut = two_pipelines().cut();
  const segment_arrangement a = arrange_segments(cut, capabilities{nothing, nothing});
  for (const std::uint32_t i : {1U, 2U}) {
    ASSERT_EQ(a.segments[i].waits.size(), 1U);
    EXPECT_EQ(a.segments[i].waits[0].step, arranged_segment::end);
    EXPECT_FALSE(a.segments[i].first);
  }
  EXPECT_TRUE(a.segments[0].signals.empty());
  EXPECT_EQ(a.ends, (indices{1, 2}));
}

TEST(arrange_segments, waits_for_the_end_where_the_step_is_the_end) {
  sketch s;
  s.step(1, {});
  s.step(0, {0});
  const segment_arrangement a = arrange_segments(s.cut(), capabilities{all, all});
  ASSERT_EQ(a.segments[1].waits.size(), 1U);
  EXPECT_EQ(a.segments[1].waits[0].step, arranged_segment::end);
  EXPECT_EQ(a.segments[1].lane, arranged_segment::own_lane);
  EXPECT_EQ(a.segments[0].lane, 0U);
  EXPECT_EQ(a.lanes, indices{1});
}

TEST(arrange_segments, waits_in_front_of_single_steps_where_the_driver_can) {
  const segmentation cut = middle_of_another().cut();
  const segment_arrangement can = arrange_segments(cut, capabilities{all, all});
  ASSERT_EQ(can.segments[2].inner_waits.size(), 1U);
  EXPECT_EQ(can.segments[2].inner_waits[0].step, 1U);
  EXPECT_EQ(can.segments[2].inner_waits[0].segment, 0U);
  EXPECT_EQ(can.segments[2].inner_waits[0].on, 1U);
  EXPECT_EQ(can.segments[2].begun, indices{0});
  EXPECT_EQ(can.segments[0].signals, (indices{0, 1}));

  const segment_arrangement cannot = arrange_segments(cut, capabilities{all, signals});
  EXPECT_TRUE(cannot.segments[2].inner_waits.empty());
  ASSERT_EQ(cannot.segments[2].waits.size(), 3U);
  EXPECT_EQ(cannot.segments[2].waits[0].segment, 1U);
  EXPECT_EQ(cannot.segments[2].waits[1].segment, 0U);
  EXPECT_EQ(cannot.segments[2].waits[2].segment, 0U);  // it would be in the lane of that one
}

TEST(arrange_segments, share_a_lane_where_lanes_run_out) {
  sketch s;
  for (std::uint32_t i = 0; i < 5; ++i) s.step(0, {});
  for (std::uint32_t i = 0; i < 4; ++i) s.step(1, {i});
  const segmentation cut = s.cut();
  const auto lanes_of = [&](std::size_t most) {
    const segment_arrangement a = arrange_segments(cut, capabilities{signals, nothing}, most);
    return std::count(a.lanes.begin(), a.lanes.end(), 1U);
  };
  EXPECT_EQ(lanes_of(8), 4);
  EXPECT_EQ(lanes_of(3), 3);
}

// Whether what the arrangement gives implies the order of the plan. Nodes are steps, then beginnings and ends of segments.
void expect_order(const sketch& s, const segmentation& cut, const segment_arrangement& a,
                  const capabilities& of_domain, std::size_t most_lanes) {
  const auto n = static_cast<std::uint32_t>(s.domains.size());
  const auto m = static_cast<std::uint32_t>(cut.segments.size());
  const auto begin = [&](std::uint32_t i) { return n + 2 * i; };
  const auto end = [&](std::uint32_t i) { return n + 2 * i + 1; };
  relation after(n + 2 * m, std::vector<char>(n + 2 * m, 0));
  std::vector<std::vector<std::uint32_t>> signalled(m);
  indices last(a.lanes.size(), n);
  for (std::uint32_t i = 0; i < m; ++i) {
    const graph_segment& segment = cut.segments[i];
    const arranged_segment& arranged = a.segments[i];
    const auto signal = [&](std::uint32_t other, std::uint32_t step) {
      EXPECT_TRUE(of_domain[cut.segments[other].domain].signals);
      signalled[other].push_back(step);
      return cut.segments[other].steps[step];
    };
    for (const arranged_segment::wait& w : arranged.waits) {
      ASSERT_LT(w.segment, i);
      comes_after(after, begin(i),
                  w.step == arranged_segment::end ? end(w.segment) : signal(w.segment, w.step));
    }
    EXPECT_EQ(arranged.lane == arranged_segment::own_lane, a.ends == indices{i});
    bool behind = false;
    if (arranged.lane != arranged_segment::own_lane) {
      EXPECT_EQ(a.lanes[arranged.lane], segment.domain);
      std::uint32_t& before = last[arranged.lane];
      behind = before != n;
      if (behind) comes_after(after, begin(i), end(before));
      before = i;
    }
    EXPECT_EQ(arranged.first, arranged.waits.empty() && arranged.inner_waits.empty() && !behind);
    if (!arranged.inner_waits.empty()) {
      EXPECT_TRUE(of_domain[segment.domain].waits);
    }
    for (const std::uint32_t step : segment.steps) {
      comes_after(after, step, begin(i));
      for (const std::uint32_t b : s.right_before(step))
        if (cut.segment_of[b] == i) comes_after(after, step, b);
      for (const arranged_segment::inner_wait& w : arranged.inner_waits)
        if (segment.steps[w.step] == step) {
          ASSERT_LT(w.segment, i);
          comes_after(after, step, signal(w.segment, w.on));
          EXPECT_EQ(std::count(arranged.begun.begin(), arranged.begun.end(), w.segment), 1);
        }
    }
    comes_after(after, end(i), begin(i));
    for (const std::uint32_t step : segment.steps) comes_after(after, end(i), step);
  }
  for (std::uint32_t i = 0; i < m; ++i) {
    indices& steps = signalled[i];
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    EXPECT_EQ(a.segments[i].signals, steps);
    EXPECT_LE(std::count(a.lanes.begin(), a.lanes.end(), cut.segments[i].domain), most_lanes);
    for (const std::uint32_t step : cut.segments[i].steps)
      EXPECT_TRUE(std::any_of(a.ends.begin(), a.ends.end(),
                              [&](std::uint32_t e) { return after[end(e)][step] != 0; }))
          << "step " << step << " may go on when all ends have been reached";
  }
  const relation wanted = wanted_order(s);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n; ++k)
      if (wanted[i][k]) {
        EXPECT_TRUE(after[i][k]) << "step " << i << " comes after step " << k;
      }
}

TEST(arrange_segments, keep_the_order_of_random_plans_whatever_domains_can_do) {
  number_source numbers(4711);
  for (int round = 0; round < 400; ++round) {
    const auto [s, domains] = draw_sketch(numbers);
    capabilities of_domain;
    for (std::uint32_t d = 0; d < domains; ++d)
      of_domain.push_back(std::vector{nothing, signals, all}[numbers.below(3)]);
    const segmentation cut = s.cut();
    const std::size_t most_lanes = 1 + numbers.below(3);
    // What waits in front of single steps for a domain that cannot signal is not asked for.
    expect_order(s, cut, arrange_segments(cut, of_domain, most_lanes), of_domain, most_lanes);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace pianola::planner
