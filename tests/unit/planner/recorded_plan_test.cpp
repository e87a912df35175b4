// SPDX-License-Identifier: Apache-2.0
// Plans of recorded graphs: what they need before, what they leave behind, what they move themselves.
#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

class RecordedPlan : public ::testing::Test {
 protected:
  model::buffer_id buffer(const model::buffer_info& info) {
    buffers.push_back(info);
    return model::buffer_id(static_cast<std::uint32_t>(buffers.size() - 1));
  }
  planner::plan make(const planner::options& options = {}) {
    planner::plan p = planner::make_plan(commands.all(), buffers, machine, options);
    const auto violation = planner::verify(commands.all(), buffers, machine, p);
    EXPECT_FALSE(violation.has_value()) << violation->reason;
    return p;
  }
  static std::vector<transfer_step> transfers(const planner::plan& p) {
    std::vector<transfer_step> result;
    for (const auto& s : p.steps)
      if (const auto* t = std::get_if<transfer_step>(&s.action)) result.push_back(*t);
    return result;
  }

  model::topology machine = four_devices();
  std::vector<model::buffer_info> buffers;
  command_list commands;
};

TEST_F(RecordedPlan, a_body_on_one_device_moves_nothing_and_asks_for_its_inputs_there) {
  const auto a = buffer(row(100)), b = buffer(row(100));
  commands.add(device1, {needs(a, access_mode::read, span(0, 100)),
                         needs(b, access_mode::write, span(0, 100), true)});
  commands.add(device1, {needs(b, access_mode::read, span(0, 100)),
                         needs(a, access_mode::write, span(0, 100), true)});
  const auto p = make();
  EXPECT_TRUE(transfers(p).empty());
  ASSERT_EQ(p.contract.size(), 1U);
  EXPECT_EQ(p.contract[0].buffer, a);
  EXPECT_EQ(p.contract[0].memories, model::memory_set(memory1));
  ASSERT_EQ(p.exit.size(), 2U);
  EXPECT_EQ(p.exit[0].memories, model::memory_set(memory1));
  ASSERT_EQ(p.accesses.size(), 2U);
  EXPECT_TRUE(p.accesses[0].written && p.accesses[1].written);
  EXPECT_EQ(p.lanes.size(), 1U);
}

TEST_F(RecordedPlan, what_is_read_on_one_memory_and_written_on_another_one_is_moved_each_time) {
  const auto a = buffer(row(100));
  commands.add(device1, {needs(a, access_mode::read, span(0, 100))});
  commands.add(device2, {needs(a, access_mode::write, span(0, 100), true)});
  const auto p = make();
  ASSERT_EQ(transfers(p).size(), 1U);
  EXPECT_EQ(transfers(p)[0].from, memory2);
  EXPECT_EQ(transfers(p)[0].to, memory1);
  ASSERT_EQ(p.contract.size(), 1U);
  EXPECT_EQ(p.contract[0].memories, model::memory_set(memory2));
  ASSERT_EQ(p.exit.size(), 1U);
  EXPECT_EQ(p.exit[0].memories, model::memory_set(memory2));
}

// Replays in a recording of a run: what a graph leaves in two memories is in both.
TEST_F(RecordedPlan, what_a_launch_leaves_in_several_memories_is_not_moved_between_them) {
  const auto a = buffer(row(100, 10));
  for (int launch = 0; launch < 3; ++launch) {
    commands.add(device1,
                 {needs(a, access_mode::read, span(0, 100), false, memory1),
                  needs(a, access_mode::read, span(0, 100), false, memory2),
                  needs(a, access_mode::write, span(0, 60), true, memory1),
                  needs(a, access_mode::write, span(40, 100), true, memory2)},
                 {}, model::subgraph_command{});
  }
  const auto p = make();
  std::vector<transfer_step> between;
  for (const transfer_step& t : transfers(p))
    if (t.from != host) between.push_back(t);
  // Both have the middle; each launch, as replays follow each other, finds the two ends in one memory only.
  ASSERT_EQ(between.size(), 6U);
  for (std::size_t i = 2; i < 6; ++i)
    EXPECT_EQ(between[i].elements, between[i].from == memory1 ? span(0, 40) : span(60, 100)) << i;
}

TEST_F(RecordedPlan, constants_are_asked_for_wherever_they_are_read_and_never_moved) {
  const auto a = buffer(row(100, 10));
  commands.add(device1, {needs(a, access_mode::read, span(0, 100))});
  commands.add(device2, {needs(a, access_mode::read, span(0, 50))});
  const auto p = make();
  EXPECT_TRUE(transfers(p).empty());
  ASSERT_EQ(p.contract.size(), 2U);
  EXPECT_EQ(p.contract[0].elements, span(0, 50));
  EXPECT_EQ(p.contract[0].memories, model::memory_set(memory1) | model::memory_set(memory2));
  EXPECT_EQ(p.contract[1].memories, model::memory_set(memory1));
  EXPECT_TRUE(p.exit.empty());
  ASSERT_EQ(p.accesses.size(), 1U);
  EXPECT_FALSE(p.accesses[0].written);
}

TEST_F(RecordedPlan, what_is_overwritten_first_is_not_asked_for) {
  const auto a = buffer(row(100, 10));
  commands.add(device1, {needs(a, access_mode::write, span(0, 100), true)});
  commands.add(device1, {needs(a, access_mode::read_write, span(0, 50))});
  EXPECT_TRUE(make().contract.empty());
}

TEST_F(RecordedPlan, boxes_of_contract_and_exit_are_merged) {
  const auto a = buffer(plane(64, 64, 8, 8));
  for (std::uint64_t i = 0; i < 8; ++i)
    for (std::uint64_t j = 0; j < 8; ++j)
      commands.add(device1, {needs(a, access_mode::read_write,
                                   box{{{0, i * 8, j * 8}}, {{1, i * 8 + 8, j * 8 + 8}}})});
  const auto p = make();
  ASSERT_EQ(p.contract.size(), 1U);
  EXPECT_EQ(p.contract[0].elements.count(), 64U * 64U);
  EXPECT_EQ(p.exit.size(), 1U);
  EXPECT_EQ(p.accesses.size(), 1U);
}

TEST_F(RecordedPlan, small_transfers_of_several_commands_merge_if_all_are_ready) {
  const auto a = buffer(row(80, 10));
  commands.add(device1, {needs(a, access_mode::write, span(0, 80), true)});
  for (std::uint64_t k = 0; k < 8; ++k)
    commands.add(device2, {needs(a, access_mode::read, span(k * 10, k * 10 + 10))});
  ASSERT_EQ(transfers(make()).size(), 1U);
  EXPECT_EQ(transfers(make())[0].elements, span(0, 80));
}

TEST_F(RecordedPlan, transfers_that_would_keep_their_first_consumer_waiting_do_not_merge) {
  // 10 us latency at 10 GB/s are 100 KB.
  const auto a = buffer(row(400000, 100000));
  commands.add(device1, {needs(a, access_mode::write, span(0, 400000), true)});
  for (std::uint64_t k = 0; k < 4; ++k)
    commands.add(device2, {needs(a, access_mode::read, span(k * 100000, k * 100000 + 100000))});
  EXPECT_EQ(transfers(make()).size(), 4U);
}

TEST_F(RecordedPlan, a_transfer_whose_source_is_written_later_does_not_merge_with_an_earlier_one) {
  const auto a = buffer(row(20, 10));
  commands.add(device1, {needs(a, access_mode::write, span(0, 10), true)});
  commands.add(device2, {needs(a, access_mode::read, span(0, 10))});
  commands.add(device1, {needs(a, access_mode::write, span(10, 20), true)});
  commands.add(device2, {needs(a, access_mode::read, span(10, 20))});
  EXPECT_EQ(transfers(make()).size(), 2U);
}

TEST_F(RecordedPlan, independent_chains_get_lanes_of_their_own_and_no_waits) {
  std::vector<model::buffer_id> b;
  for (int i = 0; i < 4; ++i) b.push_back(buffer(row(100)));
  for (int round = 0; round < 5; ++round)
    for (const auto id : b) commands.add(cpu, {needs(id, access_mode::read_write, span(0, 100))});
  const auto p = make();
  EXPECT_EQ(p.lanes.size(), 4U);
  EXPECT_TRUE(p.waits.empty());
}

TEST_F(RecordedPlan, commands_that_name_a_lane_share_one) {
  const auto a = buffer(row(100)), b = buffer(row(100));
  commands.add(cpu, {needs(a, access_mode::read_write, span(0, 100))});
  commands.add(cpu, {needs(b, access_mode::read_write, span(0, 100))});
  commands.add(cpu, {needs(a, access_mode::read_write, span(0, 100))});
  for (auto& c : commands.all()) c.lane = model::lane_id(77);
  const auto p = make();
  EXPECT_EQ(p.lanes.size(), 1U);
  EXPECT_TRUE(p.waits.empty());
}

TEST_F(RecordedPlan, explicit_edges_become_order) {
  commands.add(device1, {});
  commands.add(device2, {}, {0});
  commands.add(device3, {}, {0, 1});
  const auto p = make();
  EXPECT_EQ(p.steps[1].wait_count, 1U);
  EXPECT_EQ(p.steps[2].wait_count, 1U) << "the first follows from the second";
}

TEST_F(RecordedPlan, an_empty_graph_has_an_empty_plan) {
  const auto p = make();
  EXPECT_TRUE(p.steps.empty() && p.lanes.empty() && p.contract.empty() && p.exit.empty());
}

TEST_F(RecordedPlan, a_prologue_moves_exactly_what_is_missing) {
  const auto a = buffer(row(100, 10));
  commands.add(device1, {needs(a, access_mode::read, span(0, 60))});
  const auto p = make();
  planner::planning_state live;
  const std::vector<model::buffer_id> bound{live.add_buffer(buffers[0], model::memory_set(host))};
  live.set_validity(bound[0], span(0, 20), model::memory_set(host) | model::memory_set(memory1),
                    {});
  live.set_validity(bound[0], span(50, 100), {}, {});
  model::command launch;
  launch.payload = model::subgraph_command{};
  launch.device = device1;
  const auto r = needs(a, access_mode::read, p.contract.at(0).elements, false, memory1);
  launch.requirements = {&r, 1};
  planner::plan window;
  planner::plan_window({&launch, 1}, live, machine, {}, false, window);
  ASSERT_EQ(transfers(window).size(), 1U);
  EXPECT_EQ(transfers(window)[0].elements, span(20, 50)) << "what nobody wrote counts as there";
}

TEST_F(RecordedPlan, bad_commands_are_refused) {
  const auto a = buffer(row(100));
  commands.add(device1, {needs(a, access_mode::read, span(0, 100))}, {3});
  EXPECT_THROW((void)planner::make_plan(commands.all(), buffers, machine), model::user_error);
}

}  // namespace
}  // namespace pianola::test
