// SPDX-License-Identifier: Apache-2.0
// The searches that make placements better, each by itself: what they begin with is worse than any list.
#include <random>
#include <tuple>

#include <pianola/planner/placement.hpp>

#include <pianola/test/task_graphs.hpp>

#include "place/ranked.hpp"
#include "place/refine.hpp"
#include "place/reschedule.hpp"
#include "place/schedule.hpp"
#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using planner::objective;
using planner::placement_figures;
using planner::place::placing_of_all;

constexpr std::uint64_t much = 4000000;

// Where all commands are, and what that comes to.
struct searched {
  explicit searched(std::size_t commands, std::uint64_t seed)
      : s(layered_graph(many_devices(3, seed % 2 == 0 ? 1.0 : 3.0, seed % 4 < 2), commands, seed,
                        0.02)),
        graph(s.commands.all(), s.buffers, s.machine),
        ranked(graph),
        state(graph),
        crowded(graph.size(), 0) {}

  placement_figures evaluate(const placing_of_all& places) {
    return state.evaluate(places, ranked.order);
  }
  placing_of_all at_random(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    placing_of_all places;
    for (std::size_t i = 0; i < graph.size(); ++i)
      places.push_back(static_cast<std::uint32_t>(random() % graph.choices(i).size()));
    return places;
  }

  scenario s;
  planner::place::problem graph;
  planner::place::ranked_problem ranked;
  planner::place::schedule state;
  placing_of_all crowded;  // all on one device
};

TEST(Search, by_moves_takes_commands_from_a_crowded_device) {
  for (const std::size_t commands : {40U, 200U})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      searched one(commands, seed);
      const double before = one.evaluate(one.crowded).seconds;
      std::uint64_t effort = much;
      const placing_of_all found =
          planner::place::refined(one.ranked, objective::makespan, one.crowded, effort, one.state);
      EXPECT_LT(one.evaluate(found).seconds, 0.8 * before) << commands << " commands, " << seed;
      EXPECT_LT(effort, much);
    }
}

TEST(Search, by_moves_leaves_nothing_worse_than_it_was) {
  for (const objective wanted : {objective::makespan, objective::bytes, objective::memory})
    for (const std::size_t commands : {30U, 150U})
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        searched one(commands, seed);
        one.state.tell_peaks(true);
        placing_of_all places = one.at_random(seed);
        placement_figures before = one.evaluate(places);
        // Small steps, so that each of them has to hold.
        for (int step = 0; step < 6; ++step) {
          std::uint64_t effort = 40 * commands;
          places = planner::place::refined(one.ranked, wanted, places, effort, one.state);
          const placement_figures after = one.evaluate(places);
          EXPECT_FALSE(better(wanted, before, after)) << commands << " commands, " << seed;
          before = after;
        }
      }
}

TEST(Search, in_other_orders_takes_commands_from_a_crowded_device_and_tells_what_it_found) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    searched one(200, seed);
    const placement_figures before = one.evaluate(one.crowded);
    std::uint64_t effort = much;
    const auto found = planner::place::rescheduled(
        one.graph, objective::makespan, {one.crowded, one.ranked.order, before}, effort, one.state);
    EXPECT_LT(found.figures.seconds, 0.8 * before.seconds) << seed;
    const placement_figures again = one.state.evaluate(found.places, found.order);
    EXPECT_EQ(again.seconds, found.figures.seconds) << seed;
    EXPECT_EQ(again.bytes, found.figures.bytes) << seed;
  }
}

TEST(Search, in_other_orders_leaves_nothing_worse_than_it_was) {
  for (const objective wanted : {objective::makespan, objective::bytes, objective::memory})
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      searched one(60, seed);
      one.state.tell_peaks(true);
      planner::place::ordered_placement best{one.crowded, one.ranked.order,
                                             one.evaluate(one.crowded)};
      for (int step = 0; step < 6; ++step) {
        const placement_figures before = best.figures;
        std::uint64_t effort = 4 * 60 * 2;
        best = planner::place::rescheduled(one.graph, wanted, std::move(best), effort, one.state);
        EXPECT_FALSE(better(wanted, before, best.figures)) << seed;
        EXPECT_LT(effort, 4U * 60 * 2);
      }
    }
}

TEST(Search, without_effort_leaves_everything_where_it_was) {
  searched one(200, 1);
  std::uint64_t effort = 100;
  EXPECT_EQ(
      planner::place::refined(one.ranked, objective::makespan, one.crowded, effort, one.state),
      one.crowded);
  const auto same = planner::place::rescheduled(
      one.graph, objective::makespan, {one.crowded, one.ranked.order, one.evaluate(one.crowded)},
      effort, one.state);
  EXPECT_EQ(same.places, one.crowded);
  EXPECT_EQ(effort, 100U);
}

}  // namespace
}  // namespace pianola::test
