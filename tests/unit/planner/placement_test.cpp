// SPDX-License-Identifier: Apache-2.0
// Where commands go in graphs of which the best places can be seen.
#include <pianola/planner/cost/machine_costs.hpp>
#include <pianola/planner/placement.hpp>

#include <pianola/test/task_graphs.hpp>

#include "place/problem.hpp"
#include "place/timeline.hpp"
#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using planner::objective;
using planner::placing;

planner::chosen_placement placed(const scenario& s, placing how,
                                 objective wanted = objective::makespan) {
  planner::options o;
  o.place = how;
  o.objective = wanted;
  return planner::choose_placement(s.commands.all(), s.buffers, s.machine, o);
}

std::size_t devices_in(const planner::chosen_placement& p) {
  std::vector<model::device_id> used = p.devices;
  std::sort(used.begin(), used.end());
  return static_cast<std::size_t>(std::unique(used.begin(), used.end()) - used.begin());
}

// As many chains as devices, of kernels that take long.
scenario chains(std::size_t count) {
  task_graph g(many_devices(count));
  std::vector<model::buffer_id> data;
  for (std::size_t i = 0; i < count; ++i) data.push_back(g.buffer(1 << 20));
  for (int step = 0; step < 4; ++step)
    for (const model::buffer_id b : data) g.command(1e9, {}, {b});
  return std::move(g).finish();
}

TEST(Placing, gives_each_chain_a_device_of_its_own) {
  const scenario s = chains(3);
  for (const placing how : {placing::list_scheduling, placing::heft, placing::refined,
                            placing::exact, placing::anywhere}) {
    const auto p = placed(s, how);
    EXPECT_EQ(devices_in(p), 3U);
    EXPECT_EQ(p.figures.bytes, 0U);
    for (std::size_t i = 3; i < s.commands.size(); ++i) EXPECT_EQ(p.devices[i], p.devices[i - 3]);
  }
}

TEST(Placing, moves_nothing_and_uses_little_memory_where_that_is_wanted) {
  const scenario s = fft_graph(many_devices(3), 2, 1 << 20, 2);
  EXPECT_EQ(placed(s, placing::anywhere, objective::bytes).figures.bytes, 0U);
  const auto least = placed(s, placing::anywhere, objective::memory);
  EXPECT_LE(least.figures.peak, placed(s, placing::anywhere).figures.peak);
  EXPECT_LT(least.figures.peak, std::uint64_t{4} << 20);
}

TEST(Placing, leaves_commands_without_candidates_alone) {
  scenario s = chains(3);
  for (std::size_t i = 0; i < s.commands.size(); i += 2) s.commands.all()[i].candidates = {};
  const auto p = placed(s, placing::anywhere);
  for (std::size_t i = 0; i < s.commands.size(); i += 2)
    EXPECT_EQ(p.devices[i], s.commands[i].device);
}

// Where an exact search would look at the many for each way to place the few, of which none is any better.
TEST(Placing, of_few_commands_among_many_without_a_choice_ends) {
  task_graph g(many_devices(3));
  for (int i = 0; i < 12; ++i) g.command(1e6, {}, {g.buffer(1 << 10)});
  const model::buffer_id chain = g.buffer(1 << 10);
  for (int i = 0; i < 3000; ++i) g.command(1e9, {}, {chain});
  scenario s = std::move(g).finish();
  for (std::size_t i = 12; i < s.commands.size(); ++i) s.commands.all()[i].candidates = {};
  const auto p = placed(s, placing::anywhere);
  EXPECT_LE(p.figures.seconds, placed(s, placing::as_submitted).figures.seconds);
}

TEST(Placing, as_submitted_looks_at_no_candidates) {
  const scenario s = chains(3);
  const auto plan = planner::make_plan(s.commands.all(), s.buffers, s.machine, {});
  for (const auto& step : plan.steps) {
    const auto* e = std::get_if<execute_step>(&step.action);
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->device, s.commands[e->command.value()].device);
  }
}

TEST(Placing, refuses_candidates_that_are_no_devices) {
  scenario s = chains(2);
  const std::vector<model::device_id> wrong{model::device_id(0), model::device_id(9)};
  s.commands.all()[1].candidates = wrong;
  EXPECT_THROW((void)placed(s, placing::anywhere), model::user_error);
  planner::options wanted;
  wanted.place = placing::anywhere;
  EXPECT_THROW((void)planner::make_plan(s.commands.all(), s.buffers, s.machine, wanted),
               model::user_error);
}

TEST(Placing, of_a_large_graph_takes_memory_in_proportion) {
  // Boxes that all overlap: as cells they would be four million.
  scenario s;
  s.machine = four_devices();
  s.buffers.push_back(row(4000, 1));
  s.initialised.push_back(true);
  const std::vector<model::device_id> all{cpu, device1, device2, device3};
  for (std::uint64_t i = 0; i < 2000; ++i)
    s.commands.add(cpu, {needs(model::buffer_id(0), access_mode::read, span(i, 4000 - i))});
  for (model::command& c : s.commands.all()) c.candidates = all;
  const planner::place::problem p(s.commands.all(), s.buffers, s.machine);
  EXPECT_EQ(p.cell_count(), 1U);
  EXPECT_EQ(placed(s, placing::list_scheduling).devices.size(), 2000U);
}

TEST_F(Planning, a_single_command_goes_where_its_data_is) {
  const auto b = buffer(row(1 << 20), model::memory_set(memory2));
  const std::vector<model::device_id> all{device1, device2, device3};
  const std::vector<model::requirement> r{needs(b, access_mode::read_write, span(0, 1 << 20))};
  model::command c;
  c.payload = model::kernel_command{};
  c.requirements = r;
  c.device = device1;
  c.candidates = all;
  const planner::machine_costs costs(machine);
  EXPECT_LT(planner::end_on(c, state, costs, device2, 0),
            planner::end_on(c, state, costs, device3, 0));
  // Unless that has more to do than the transfer takes.
  EXPECT_GT(planner::end_on(c, state, costs, device2, 1),
            planner::end_on(c, state, costs, device3, 0));
  options.place = placing::anywhere;
  planner::plan_window({&c, 1}, state, machine, options, false, plan);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(std::get<execute_step>(plan.steps[0].action).device, device2);
}

TEST(Timeline, fills_gaps_with_what_fits) {
  planner::place::timeline t;
  t.take(t.find(10, 5), 5);
  EXPECT_EQ(t.find(0, 10), 0);
  EXPECT_EQ(t.find(0, 11), 15);
  EXPECT_EQ(t.find(3, 8), 15);
  t.take(t.find(2, 3), 3);
  EXPECT_EQ(t.find(0, 2), 0);
  EXPECT_EQ(t.find(0, 3), 5);
  t.take(5, 5);
  EXPECT_EQ(t.find(0, 3), 15);
  EXPECT_EQ(t.busy(), 13);
}

}  // namespace
}  // namespace pianola::test
