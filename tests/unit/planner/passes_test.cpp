// SPDX-License-Identifier: Apache-2.0
// What is told of a plan between the passes that make it.
#include <gmock/gmock.h>

#include <pianola/planner/placement.hpp>

#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct told final : planner::pass_observer {
  std::vector<std::string> passes;
  std::vector<std::string> texts;
  std::size_t most = 400;

  void after(std::string_view pass, const std::string& text) override {
    passes.emplace_back(pass);
    texts.push_back(text);
  }
  [[nodiscard]] const char* label_of(model::buffer_id b) const override {
    return b.value() == 0 ? "field" : "";
  }
  [[nodiscard]] std::size_t maximum() const override { return most; }
  [[nodiscard]] std::string after_pass(std::string_view pass) const {
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (passes[i] == pass) return texts[i];
    return "not told";
  }
  // Where a graph is planned several times.
  [[nodiscard]] std::string last_after(std::string_view pass) const {
    for (std::size_t i = passes.size(); i-- > 0;)
      if (passes[i] == pass) return texts[i];
    return "not told";
  }
};

class Passes : public Planning {
 protected:
  Passes() { options.observer = &observer; }
  told observer;
};

TEST_F(Passes, of_a_command_are_told_in_their_order) {
  const auto b = buffer(row(8));
  submit(device1, {needs(b, access_mode::read_write, all(b))});
  EXPECT_EQ(observer.passes,
            (std::vector<std::string>{"place_commands", "insert_transfers", "coalesce_transfers",
                                      "derive_dependencies", "assign_lanes", "prune_edges"}));
}

TEST_F(Passes, tell_what_each_has_found_out) {
  const auto b = buffer(row(8));
  submit(device1, {needs(b, access_mode::read_write, all(b))});
  EXPECT_THAT(observer.after_pass("place_commands"), HasSubstr("on device 1 (device1) in memory1"));
  const std::string moved = observer.after_pass("insert_transfers");
  EXPECT_THAT(moved, HasSubstr("move  field  memory0 -> memory1  32 B"));
  EXPECT_THAT(moved, HasSubstr("data of 0"));
  EXPECT_THAT(moved, Not(HasSubstr("lane")));
  EXPECT_THAT(observer.after_pass("derive_dependencies"), HasSubstr("after 0"));
  EXPECT_THAT(observer.after_pass("assign_lanes"), HasSubstr("lane 1"));
}

TEST_F(Passes, tell_of_edges_before_and_after_they_are_pruned) {
  const auto b = buffer(row(8));
  const auto first = submit(cpu, {needs(b, access_mode::read_write, all(b))});
  observer.passes.clear();
  observer.texts.clear();
  submit(cpu, {needs(b, access_mode::read_write, all(b))});
  EXPECT_THAT(observer.after_pass("assign_lanes"), HasSubstr("after " + std::to_string(first)));
  EXPECT_THAT(observer.after_pass("prune_edges"), Not(HasSubstr("after")));
}

TEST_F(Passes, of_a_graph_tell_of_its_entry_and_of_the_plan_as_well) {
  const model::buffer_info info = row(8);
  const model::requirement r =
      needs(model::buffer_id(0), access_mode::read, box::of(info.grid.range()));
  model::command c;
  c.requirements = {&r, 1};
  c.device = device1;
  plan = planner::make_plan({&c, 1}, {&info, 1}, machine, options);
  EXPECT_EQ(observer.passes,
            (std::vector<std::string>{
                "place_commands", "order_commands", "choose_entry", "insert_transfers",
                "coalesce_transfers", "order_slots", "derive_dependencies", "order_steps",
                "assign_lanes", "share_slots", "prune_edges", "summarise", "measure_memory"}));
  EXPECT_THAT(observer.after_pass("choose_entry"), HasSubstr("starts with field in memory1"));
  EXPECT_THAT(observer.after_pass("summarise"), HasSubstr("valid at entry:\n  field in memory1"));
  EXPECT_EQ(observer.after_pass("measure_memory"), "memory peak memory1: 32 B\n");
}

TEST_F(Passes, tell_where_temporary_buffers_are) {
  model::buffer_info info = row(8);
  info.temporary = true;
  const model::requirement r =
      needs(model::buffer_id(0), access_mode::write, box::of(info.grid.range()), true);
  model::command c;
  c.requirements = {&r, 1};
  c.device = device1;
  plan = planner::make_plan({&c, 1}, {&info, 1}, machine, options);
  EXPECT_THAT(observer.after_pass("assign_lanes"), Not(HasSubstr("in memory1 at")));
  EXPECT_THAT(observer.after_pass("share_slots"),
              HasSubstr("field in memory1 at 0 in steps 0 to 0\n"));
}

TEST_F(Passes, tell_who_waits_for_room) {
  options.memory_budget = 256;
  std::vector<model::buffer_info> buffers(2, row(64));
  std::vector<model::requirement> uses;
  for (std::uint32_t b = 0; b < 2; ++b) {
    buffers[b].evictable = true;
    uses.push_back(
        needs(model::buffer_id(b), access_mode::write, box::of(buffers[b].grid.range()), true));
  }
  std::vector<model::command> commands(2);
  for (std::size_t i = 0; i < 2; ++i) {
    commands[i].requirements = {&uses[i], 1};
    commands[i].device = device1;
  }
  plan = planner::make_plan(commands, buffers, machine, options);
  EXPECT_THAT(observer.last_after("order_slots"), HasSubstr("room of 0 1"));
}

TEST_F(Passes, tell_in_which_order_commands_become_steps) {
  const model::buffer_info info = row(8);
  std::vector<model::command> commands(2);
  const model::device_id any[] = {cpu, device1};
  for (model::command& c : commands) {
    c.device = cpu;
    c.candidates = {any, 2};
  }
  planner::chosen_placement chosen;
  chosen.devices = {cpu, device1};
  chosen.order = {1, 0};
  options.place = planner::placing::anywhere;
  options.chosen = &chosen;
  plan = planner::make_plan(commands, {&info, 1}, machine, options);
  EXPECT_THAT(observer.after_pass("place_commands"), StartsWith("  #0"));
  EXPECT_THAT(observer.after_pass("order_commands"), StartsWith("  #1"));
}

TEST_F(Passes, tell_no_more_than_asked_for) {
  observer.most = 2;
  const model::buffer_info info = row(8);
  std::vector<model::command> commands(5);
  for (model::command& c : commands) c.device = cpu;
  plan = planner::make_plan(commands, {&info, 1}, machine, options);
  EXPECT_THAT(observer.after_pass("place_commands"), HasSubstr("... and 3 more commands"));
  EXPECT_THAT(observer.after_pass("prune_edges"), HasSubstr("... and 3 more steps"));
}

}  // namespace
}  // namespace pianola::test
