// SPDX-License-Identifier: Apache-2.0
// What the checker says about plans that are spoiled by hand; the property tests spoil random ones.
#include <gmock/gmock.h>

#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using ::testing::HasSubstr;

class Verify : public ::testing::Test {
 protected:
  Verify() {
    const model::buffer_id a(0), b(1);
    commands.add(device1, {needs(a, access_mode::write, span(0, 100), true)});
    commands.add(device2, {needs(a, access_mode::read, span(0, 50)),
                           needs(b, access_mode::read_write, span(0, 100))});
    commands.add(device3, {needs(b, access_mode::read, span(0, 100))}, {0});
    plan = planner::make_plan(commands.all(), buffers, machine);
  }
  std::string complaint() {
    const auto v = planner::verify(commands.all(), buffers, machine, plan);
    return v ? v->reason : "none";
  }
  std::size_t first_transfer() {
    for (std::size_t i = 0;; ++i)
      if (std::holds_alternative<transfer_step>(plan.steps[i].action)) return i;
  }
  transfer_step& transfer(std::size_t i) { return std::get<transfer_step>(plan.steps[i].action); }
  execute_step& execute(std::uint32_t command) {
    for (auto& s : plan.steps)
      if (auto* e = std::get_if<execute_step>(&s.action))
        if (e->command.value() == command) return *e;
    throw std::logic_error("no such command");
  }

  model::topology machine = four_devices();
  std::vector<model::buffer_info> buffers{row(100, 10), row(100)};
  command_list commands;
  planner::plan plan;
};

TEST_F(Verify, accepts_the_plan) { EXPECT_EQ(complaint(), "none"); }

TEST_F(Verify, misses_a_command) {
  execute(1).command = model::command_id(0);
  EXPECT_THAT(complaint(), HasSubstr("already run"));
  plan.steps.pop_back();
  EXPECT_NE(complaint(), "none");
}

TEST_F(Verify, sees_a_source_that_does_not_hold_the_data) {
  transfer(first_transfer()).from = memory3;
  EXPECT_THAT(complaint(), HasSubstr("command 0's data has not been brought"));
}

TEST_F(Verify, sees_a_wrong_device) {
  execute(2).device = cpu;
  EXPECT_THAT(complaint(), HasSubstr("asks for device 3"));
}

TEST_F(Verify, lets_a_command_run_on_its_candidates_alone) {
  const std::vector<model::device_id> candidates{device1, device3};
  commands.all()[2].candidates = candidates;
  EXPECT_EQ(complaint(), "none");
  planner::options o;
  o.place = planner::placing::list_scheduling;
  o.objective = planner::objective::bytes;
  plan = planner::make_plan(commands.all(), buffers, machine, o);
  EXPECT_EQ(complaint(), "none");
  execute(2).device = cpu;
  EXPECT_THAT(complaint(), HasSubstr("another of its candidates"));
}

TEST_F(Verify, sees_a_condition_that_the_host_does_not_find) {
  model::subgraph_command loop;
  loop.control = model::control_kind::loop;
  loop.condition = 0;
  const auto decides_by = [&](const box& elements, memory_id where) {
    command_list one;
    one.add(cpu, {needs(model::buffer_id(0), access_mode::read, elements, false, where)}, {}, loop);
    const auto v = planner::verify(one.all(), buffers, machine,
                                   planner::make_plan(one.all(), buffers, machine));
    return v ? v->reason : "none";
  };
  EXPECT_EQ(decides_by(span(3, 4), host), "none");
  EXPECT_THAT(decides_by(span(3, 5), host), HasSubstr("is not one element"));
  EXPECT_THAT(decides_by(span(3, 4), memory1), HasSubstr("is not one element"));
  loop.condition = 1;
  EXPECT_THAT(decides_by(span(3, 4), host), HasSubstr("is not one element"));
}

TEST_F(Verify, sees_a_range_that_the_kernel_does_not_find) {
  model::kernel_command kernel;
  kernel.geometry.dimensions = 2;
  kernel.indirect.used = true;
  const auto reads = [&](access_mode mode, const box& elements, bool no_init, std::uint32_t from) {
    kernel.indirect.requirement = from;
    command_list one;
    one.add(cpu, {needs(model::buffer_id(0), mode, elements, no_init)}, {}, kernel);
    const auto v = planner::verify(one.all(), buffers, machine,
                                   planner::make_plan(one.all(), buffers, machine));
    return v ? v->reason : "none";
  };
  EXPECT_EQ(reads(access_mode::read, span(3, 5), false, 0), "none");
  EXPECT_EQ(reads(access_mode::write, span(3, 5), true, model::indirect_range::in_memory), "none");
  EXPECT_THAT(reads(access_mode::read, span(3, 4), false, 0), HasSubstr("does not read"));
  EXPECT_THAT(reads(access_mode::write, span(3, 5), true, 0), HasSubstr("does not read"));
  EXPECT_THAT(reads(access_mode::read, span(3, 5), false, 1), HasSubstr("does not read"));
}

TEST_F(Verify, sees_waits_that_point_forward_or_outside) {
  plan.waits[0] = model::step_id(plan.steps.size());
  EXPECT_THAT(complaint(), HasSubstr("does not come before it"));
}

TEST_F(Verify, sees_a_transfer_where_no_link_is) {
  std::erase_if(machine.links, [&](const auto& l) { return l.from == memory1 && l.to == memory2; });
  EXPECT_THAT(complaint(), HasSubstr("not connected"));
}

TEST_F(Verify, sees_a_broken_explicit_order) {
  for (auto& s : plan.steps) s.wait_count = 0;
  const auto v = planner::verify(commands.all(), buffers, machine, plan);
  ASSERT_TRUE(v.has_value());
  EXPECT_THAT(v->reason, HasSubstr("does not wait for"));
}

TEST_F(Verify, needs_no_wait_for_what_had_finished_before) {
  for (auto& s : plan.steps) s.wait_count = 0;
  ASSERT_NE(complaint(), "none");
  for (std::uint64_t i = 1; i < plan.steps.size(); ++i)
    plan.finished.push_back({model::step_id(i), model::step_id(i)});
  EXPECT_EQ(complaint(), "none");
  plan.finished.erase(plan.finished.begin(), plan.finished.end() - 1);
  const std::uint64_t last = plan.steps.size() - 1;
  plan.finished[0].below = model::step_id(last - 1);
  EXPECT_NE(complaint(), "none") << "only the last step knows of most others";
  plan.finished[0] = {model::step_id(1), model::step_id(2)};
  EXPECT_THAT(complaint(), HasSubstr("out of order"));
}

TEST_F(Verify, sees_a_contract_that_promises_too_little) {
  plan.contract.clear();
  EXPECT_THAT(complaint(), HasSubstr("entry contract does not promise"));
}

TEST_F(Verify, sees_an_exit_state_that_promises_too_much_or_forgets_something) {
  auto good = plan;
  plan.exit[0].memories.add(memory3);
  EXPECT_THAT(complaint(), HasSubstr("which it is not"));
  plan = good;
  plan.exit.clear();
  EXPECT_THAT(complaint(), HasSubstr("leaves out"));
  plan = good;
  for (auto& e : plan.exit) e.memories = {};
  EXPECT_THAT(complaint(), HasSubstr("says of no memory that"));
}

TEST_F(Verify, sees_boxes_and_ids_that_do_not_exist) {
  auto good = plan;
  transfer(first_transfer()).elements = span(90, 101);
  EXPECT_THAT(complaint(), HasSubstr("does not have"));
  plan = good;
  plan.steps.back().lane = model::lane_id(1000);
  EXPECT_THAT(complaint(), HasSubstr("lane that does not exist"));
  plan = good;
  plan.steps.back().wait_count = 1000;
  EXPECT_THAT(complaint(), HasSubstr("beyond"));
  plan = good;
  plan.contract[0].buffer = model::buffer_id(9);
  EXPECT_THAT(complaint(), HasSubstr("do not exist"));
  plan = good;
  execute(0).command = model::command_id(9);
  EXPECT_THAT(complaint(), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace pianola::test
