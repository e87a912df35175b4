// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, and on which lane.
#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using Dependencies = Planning;
using Lanes = Planning;

TEST_F(Dependencies, exist_between_overlapping_page_ranges_if_one_is_written) {
  const auto b = buffer(row(100, 10));
  const auto writer = submit(cpu, {needs(b, access_mode::read_write, span(0, 15))});
  submit(cpu, {needs(b, access_mode::read, span(18, 19))});
  EXPECT_TRUE(after(writer)) << "same page, though other elements";
  submit(cpu, {needs(b, access_mode::read, span(20, 30))});
  EXPECT_FALSE(after(writer));
  EXPECT_TRUE(waits().empty());
}

TEST_F(Dependencies, do_not_exist_between_readers_nor_between_buffers) {
  const auto a = buffer(row(100)), b = buffer(row(100));
  const auto first = submit(cpu, {needs(a, access_mode::read, all(a))});
  submit(cpu, {needs(a, access_mode::read, all(a))});
  EXPECT_FALSE(after(first));
  submit(cpu, {needs(b, access_mode::read_write, all(b))});
  EXPECT_FALSE(after(first));
}

TEST_F(Dependencies, a_writer_waits_for_all_readers_since_the_last_writer) {
  const auto b = buffer(row(100));
  submit(cpu, {needs(b, access_mode::read_write, all(b))});
  const auto r1 = submit(cpu, {needs(b, access_mode::read, all(b))});
  const auto r2 = submit(cpu, {needs(b, access_mode::read, all(b))});
  const auto r3 = submit(cpu, {needs(b, access_mode::read, all(b))});
  const auto r4 = submit(cpu, {needs(b, access_mode::read, all(b))});
  const auto r5 = submit(cpu, {needs(b, access_mode::read, all(b))});
  submit(cpu, {needs(b, access_mode::read_write, all(b))});
  for (const auto r : {r1, r2, r3, r4, r5}) EXPECT_TRUE(after(r)) << r;
}

TEST_F(Dependencies, a_command_does_not_wait_for_itself) {
  const auto b = buffer(row(100, 10));
  submit(cpu, {needs(b, access_mode::read, span(0, 30)), needs(b, access_mode::write, span(20, 50)),
               needs(b, access_mode::read, span(40, 60))});
  EXPECT_TRUE(waits().empty());
  EXPECT_EQ(plan.steps.size(), 1U);
  const auto first = plan.first_step;
  submit(cpu, {needs(b, access_mode::write, span(0, 60), true)});
  EXPECT_TRUE(after(first));
}

TEST_F(Dependencies, a_consumer_waits_for_the_transfer_made_for_another_one) {
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::read, all(b))});
  const auto transfer = plan.first_step;
  submit(device1, {needs(b, access_mode::read, all(b))});
  EXPECT_TRUE(transfers().empty());
  EXPECT_TRUE(after(transfer));
}

// What a graph reads is named by elements, but the order is one of pages.
TEST_F(Dependencies, a_graph_waits_for_who_wrote_other_elements_of_the_pages_that_it_reads) {
  const auto b = buffer(row(100, 10));
  const auto writer = submit(cpu, {needs(b, access_mode::write, span(0, 4), true)});
  submit(cpu, {needs(b, access_mode::read, span(5, 6))}, {}, model::subgraph_command{},
         state.add_private_lane(cpu));
  EXPECT_EQ(waits(), std::vector<std::uint64_t>{writer});
  submit(cpu, {needs(b, access_mode::read, span(10, 11))}, {}, model::subgraph_command{},
         state.add_private_lane(cpu));
  EXPECT_TRUE(waits().empty());
}

TEST_F(Dependencies, explicit_order_is_kept) {
  const auto a = submit(device1, {});
  const auto b = submit(device2, {});
  submit(device3, {}, {a, b});
  EXPECT_EQ(waits(), (std::vector<std::uint64_t>{a, b}));
}

TEST_F(Dependencies, of_several_steps_in_one_lane_only_the_latest_is_waited_for) {
  const auto b = buffer(row(100, 10));
  const auto first = submit(device1, {needs(b, access_mode::write, span(0, 10), true)});
  const auto second = submit(device1, {}, {first});
  submit(device2, {}, {first, second});
  EXPECT_EQ(waits(), (std::vector<std::uint64_t>{second}));
}

TEST_F(Dependencies, of_many_steps_in_several_lanes_the_latest_of_each_is_waited_for) {
  for (const std::size_t lanes : {2, 5, 20}) {
    std::vector<std::uint64_t> all, latest;
    for (std::size_t l = 0; l < lanes; ++l) {
      const model::lane_id own = state.add_private_lane(cpu);
      for (int step = 0; step < 10; ++step)
        all.push_back(submit(cpu, {}, {}, model::kernel_command{}, own));
      latest.push_back(all.back());
    }
    submit(cpu, {}, all);
    EXPECT_EQ(waits(), latest) << lanes;
  }
}

TEST_F(Dependencies, finished_steps_are_not_waited_for) {
  const auto b = buffer(row(100));
  const auto a = submit(device1, {needs(b, access_mode::read_write, all(b))});
  state.retire_below(state.next_step());
  submit(device2, {needs(b, access_mode::read_write, all(b))}, {a});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].wait_count, 0U);
  EXPECT_EQ(waits(), (std::vector<std::uint64_t>{plan.first_step}));
}

TEST_F(Dependencies, conflicting_steps_are_listed_for_work_that_is_ordered_by_hand) {
  const auto b = buffer(row(100, 10));
  const auto w = submit(cpu, {needs(b, access_mode::read_write, span(0, 20))});
  const auto r = submit(cpu, {needs(b, access_mode::read, span(10, 20))});
  std::vector<model::step_id> steps;
  state.conflicting_steps(b, span(0, 10), false, steps);
  EXPECT_EQ(steps, (std::vector<model::step_id>{model::step_id(w)}));
  steps.clear();
  state.conflicting_steps(b, span(12, 13), true, steps);
  EXPECT_EQ(steps, (std::vector<model::step_id>{model::step_id(w), model::step_id(r)}));
  steps.clear();
  state.retire_below(state.next_step());
  state.conflicting_steps(b, all(b), true, steps);
  EXPECT_TRUE(steps.empty());
}

TEST_F(Lanes, a_chain_stays_in_its_lane_and_needs_no_waits) {
  const auto b = buffer(row(100));
  submit(cpu, {needs(b, access_mode::read_write, all(b))});
  const auto first = lane();
  for (int i = 0; i < 5; ++i) {
    submit(cpu, {needs(b, access_mode::read_write, all(b))});
    EXPECT_EQ(lane(), first);
    EXPECT_TRUE(waits().empty());
  }
}

TEST_F(Lanes, independent_commands_run_in_different_lanes_until_there_are_no_more) {
  machine = four_devices(links::all, 4);
  std::vector<std::uint32_t> lanes;
  for (int i = 0; i < 3; ++i) {
    submit(device1, {});
    lanes.push_back(lane());
  }
  EXPECT_EQ(state.lane_count(), 3U) << "one of four is kept for transfers";
  submit(device1, {});
  EXPECT_EQ(lane(), lanes[0]) << "the lane whose last step is the oldest";
  EXPECT_EQ(state.lane_count(), 3U);
}

TEST_F(Lanes, an_idle_lane_is_taken_again) {
  submit(device1, {});
  const auto first = lane();
  state.retire_below(state.next_step());
  submit(device1, {});
  EXPECT_EQ(lane(), first);
}

TEST_F(Lanes, transfers_have_lanes_of_their_own_on_the_device_that_receives) {
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::read, all(b))});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_NE(plan.steps[0].lane, plan.steps[1].lane);
  EXPECT_EQ(state.device_of(plan.steps[0].lane), device1);
}

TEST_F(Lanes, a_device_with_one_lane_does_everything_there) {
  machine = four_devices(links::all, 1);
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::read, all(b))});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[0].lane, plan.steps[1].lane);
  EXPECT_TRUE(waits().empty());
}

TEST_F(Lanes, a_private_lane_is_used_by_those_who_name_it_only) {
  const auto mine = state.add_private_lane(cpu);
  const auto b = buffer(row(100));
  const auto access = submit({}, {needs(b, access_mode::read_write, all(b))}, {},
                             model::host_access_command{}, mine);
  EXPECT_EQ(lane(), mine.value());
  EXPECT_EQ(state.tail(mine), model::step_id(access));
  submit(cpu, {needs(b, access_mode::read_write, all(b))});
  EXPECT_NE(lane(), mine.value());
  EXPECT_EQ(waits(), (std::vector<std::uint64_t>{access}));
}

TEST_F(Lanes, nothing_independent_stands_behind_what_waits_for_an_open_host_access) {
  for (const std::uint32_t maximum : {1U, 2U, 4U}) {
    machine = four_devices(links::all, maximum);
    state = planner::planning_state();
    const auto shared = buffer(row(100)), other = buffer(row(100));
    const auto access = submit({}, {needs(shared, access_mode::read_write, all(shared))}, {},
                               model::host_access_command{}, state.add_private_lane(cpu));
    // What is stuck until the program ends the access, and the lanes that it fills.
    std::vector<std::uint32_t> stuck;
    std::vector<model::buffer_id> results;
    for (int i = 0; i < 20; ++i) {
      results.push_back(buffer(row(100)));
      submit(device1, {needs(shared, access_mode::read, all(shared)),
                       needs(results.back(), access_mode::read_write, all(results.back()))});
      for (const auto& s : plan.steps) {
        const bool copy_of_result = std::holds_alternative<transfer_step>(s.action) &&
                                    std::get<transfer_step>(s.action).buffer == results.back();
        if (!copy_of_result) stuck.push_back(s.lane.value());
      }
      // Follows from the first of them only.
      submit(device1, {needs(results.front(), access_mode::read, all(results.front()))});
      stuck.push_back(lane());
      // Has nothing to do with it.
      submit(device1, {needs(other, access_mode::read_write, all(other))});
      for (const auto& s : plan.steps)
        EXPECT_EQ(std::count(stuck.begin(), stuck.end(), s.lane.value()), 0);
      submit(device1, {});
      EXPECT_EQ(std::count(stuck.begin(), stuck.end(), lane()), 0);
    }
    EXPECT_LE(state.lane_count(), 1 + maximum + 2) << "the host's, and one more of each kind";
    state.retire_below(model::step_id(access + 1));
    for (int i = 0; i < 20; ++i) submit(device1, {});
    EXPECT_LE(state.lane_count(), 1 + maximum + 2);
  }
}

// A host task may wait for what it has submitted itself.
TEST_F(Lanes, nothing_independent_stands_behind_host_tasks_or_what_waits_for_them) {
  for (const std::uint32_t maximum : {1U, 2U, 4U}) {
    machine = four_devices(links::all, maximum);
    state = planner::planning_state();
    std::vector<std::uint32_t> stuck;
    std::uint64_t last = 0;
    for (int i = 0; i < 20; ++i) {
      const auto b = buffer(row(100));
      last =
          submit(cpu, {needs(b, access_mode::read_write, all(b))}, {}, model::host_task_command{});
      stuck.push_back(lane());
      submit(cpu, {needs(b, access_mode::read, all(b))});
      stuck.push_back(lane());
      submit(cpu, {});
      EXPECT_EQ(std::count(stuck.begin(), stuck.end(), lane()), 0) << maximum << ", " << i;
    }
    EXPECT_LE(state.lane_count(), maximum + 1);
    // As many of them may wait for each other as there are lanes, but for the one of transfers.
    std::sort(stuck.begin(), stuck.end());
    EXPECT_EQ(std::unique(stuck.begin(), stuck.end()) - stuck.begin(), std::max(1U, maximum - 1));
    state.retire_below(model::step_id(last + 10));
    for (int i = 0; i < 20; ++i) submit(cpu, {});
    EXPECT_LE(state.lane_count(), maximum + 1);
  }
}

TEST_F(Lanes, positions_count_the_steps_of_a_lane) {
  const auto b = buffer(row(100));
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const auto s = submit(cpu, {needs(b, access_mode::read_write, all(b))});
    EXPECT_EQ(state.position_in_lane(model::step_id(s)), i);
    EXPECT_EQ(state.lane_of(model::step_id(s)).value(), lane());
  }
  state.retire_below(model::step_id(50));
  EXPECT_FALSE(state.lane_of(model::step_id(49)).valid());
  EXPECT_EQ(state.position_in_lane(model::step_id(50)), 51U);
}

TEST_F(Lanes, single_lane_means_one_per_device) {
  options.single_lane = true;
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::read, all(b))});
  submit(device1, {});
  submit(device1, {});
  EXPECT_EQ(state.lane_count(), 1U);
}

}  // namespace
}  // namespace pianola::test
