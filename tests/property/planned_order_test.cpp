// SPDX-License-Identifier: Apache-2.0
// The order of steps of graphs that are placed anywhere: against the order in which the same commands were submitted, by
// simulation, which knows nothing of either.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/placement.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/test/random_scenario.hpp>
#include <pianola/test/task_graphs.hpp>

namespace {

using namespace pianola;
using test::scenario;

scenario random_graph(std::uint64_t seed, std::size_t most) {
  std::mt19937_64 random(seed * 7919 + 3);
  const double spread = random() % 2 == 0 ? 1.0 : 1.0 + static_cast<double>(random() % 3);
  model::topology machine = test::many_devices(2 + random() % 3, spread, random() % 3 != 0);
  for (model::device_description& d : machine.devices)
    d.maximum_lanes = static_cast<std::uint32_t>(1 + random() % 8);
  return test::layered_graph(machine, 2 + random() % (most - 1), seed,
                             0.005 * static_cast<double>(1 + random() % 10));
}

double simulated(const scenario& s, const planner::plan& p) {
  const planner::graph_view graph(s.commands.all(), s.buffers, 0);
  return planner::simulate(graph, p, s.machine).makespan;
}

planner::chosen_placement placed(const scenario& s) {
  planner::options o;
  o.place = planner::placing::anywhere;
  o.search_seconds = 0.005;
  return planner::choose_placement(s.commands.all(), s.buffers, s.machine, o);
}

planner::plan planned(const scenario& s, const planner::chosen_placement& chosen) {
  planner::options o;
  o.place = planner::placing::anywhere;
  o.chosen = &chosen;
  return planner::make_plan(s.commands.all(), s.buffers, s.machine, o);
}

// The same commands on the same devices, as if their queues had decided it.
planner::plan as_submitted(scenario& s, const planner::chosen_placement& chosen) {
  auto& commands = s.commands.all();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    commands[i].device = chosen.devices[i];
    commands[i].candidates = {};
  }
  return planner::make_plan(commands, s.buffers, s.machine);
}

// The commands that each device runs, in the order of steps.
std::map<std::uint16_t, std::vector<std::uint32_t>> by_device(const planner::plan& p) {
  std::map<std::uint16_t, std::vector<std::uint32_t>> result;
  for (const planner::step& s : p.steps)
    if (const auto* e = std::get_if<planner::execute_step>(&s.action))
      result[e->device.value()].push_back(e->command.value());
  return result;
}

RC_GTEST_PROP(PlannedOrder, is_right_and_costs_no_more_than_a_placement_is_long, ()) {
  const auto seed = *test::number<std::uint64_t>(0, 1u << 20);
  scenario s = random_graph(seed, 60);
  const planner::chosen_placement chosen = placed(s);
  const planner::plan made = planned(s, chosen);
  if (const auto problem = planner::verify(s.commands.all(), s.buffers, s.machine, made))
    RC_FAIL(problem->reason);
  const double ours = simulated(s, made);
  const double theirs = simulated(s, as_submitted(s, chosen));
  RC_ASSERT(ours <= theirs + chosen.figures.seconds);
}

RC_GTEST_PROP(PlannedOrder, is_that_of_the_placement_on_each_device, ()) {
  const auto seed = *test::number<std::uint64_t>(0, 1u << 20);
  const scenario s = random_graph(seed, 60);
  const planner::chosen_placement chosen = placed(s);
  std::map<std::uint16_t, std::vector<std::uint32_t>> expected;
  for (const std::uint32_t c : chosen.order) expected[chosen.devices[c].value()].push_back(c);
  RC_ASSERT(by_device(planned(s, chosen)) == expected);
}

TEST(PlannedOrder, is_sooner_done_than_that_of_submission_on_average) {
  double ratios = 0;
  const int graphs = 60;
  for (int seed = 0; seed < graphs; ++seed) {
    scenario s = random_graph(static_cast<std::uint64_t>(seed), 120);
    const planner::chosen_placement chosen = placed(s);
    const double ours = simulated(s, planned(s, chosen));
    ratios += std::log(ours / simulated(s, as_submitted(s, chosen)));
  }
  const double mean = std::exp(ratios / graphs);
  RecordProperty("planned_over_submitted", std::to_string(mean));
  EXPECT_LT(mean, 0.95);
}

}  // namespace
