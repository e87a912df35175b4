// SPDX-License-Identifier: Apache-2.0
// Of many commands several threads look at the order, each at some of the buffers: what is missing is found wherever it is.
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/verify.hpp>

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "planning_fixture.hpp"

namespace {

using namespace pianola;
using namespace pianola::test;

// Of each buffer in turns: one device overwrites it, the other, which has a memory of its own, reads it. So a transfer is
// between them, and the next one that overwrites comes after that and after the reader. One command comes after another one
// that it has nothing in common with.
struct many_commands {
  static constexpr std::uint32_t buffers = 5, commands = 6000;

  many_commands() {
    const box all = box::of(row(8).grid.range());
    needs_of.resize(commands);
    for (std::uint32_t c = 0; c < commands; ++c) {
      const bool reads = c / buffers % 2 == 1;
      const auto mode = reads ? access_mode::read : access_mode::write;
      needs_of[c] = {needs(model::buffer_id(c % buffers), mode, all, !reads)};
      model::command& made = list.emplace_back();
      made.payload = model::kernel_command{};
      made.requirements = needs_of[c];
      made.device = reads ? device1 : device2;
      if (c == alone) made.after = after;
    }
    plan = planner::make_plan(list, infos, machine);
  }
  [[nodiscard]] std::size_t step_of(std::uint32_t command) const {
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
      if (const auto* e = std::get_if<execute_step>(&plan.steps[i].action))
        if (e->command.value() == command) return i;
    return 0;
  }

  static constexpr std::uint32_t alone = 5008;  // reads
  std::vector<std::uint64_t> after{5004};       // overwrites another buffer
  model::topology machine = four_devices();
  std::vector<model::buffer_info> infos = std::vector<model::buffer_info>(buffers, row(8));
  std::vector<std::vector<model::requirement>> needs_of;
  std::vector<model::command> list;
  planner::plan plan;
};

TEST(verify_many_commands, finds_a_missing_wait_for_each_buffer) {
  const many_commands all;
  EXPECT_FALSE(planner::verify(all.list, all.infos, all.machine, all.plan).has_value());
  for (std::uint32_t b = 0; b < many_commands::buffers; ++b) {
    const std::uint32_t overwrites = many_commands::commands / 2 + b;
    const std::uint32_t reads = overwrites - many_commands::buffers;
    ASSERT_EQ(all.list[overwrites].device, device2);
    // It waits for the transfer alone, as the reader does, whose memory it does not touch.
    planner::plan wrong = all.plan;
    planner::step& s = wrong.steps[all.step_of(overwrites)];
    const planner::step& reader = wrong.steps[all.step_of(reads)];
    ASSERT_GE(s.wait_count, 1U);
    ASSERT_EQ(reader.wait_count, 1U);
    s.wait_count = 1;
    wrong.waits[s.first_wait] = wrong.waits[reader.first_wait];
    const auto found = planner::verify(all.list, all.infos, all.machine, wrong);
    ASSERT_TRUE(found.has_value()) << b;
    // And not in some memory, which is what a later step does wrong, then.
    EXPECT_TRUE(found->reason.ends_with("but they conflict on buffer " + std::to_string(b)))
        << found->reason;
  }
}

TEST(verify_many_commands, finds_a_missing_order_that_a_command_asks_for) {
  const many_commands all;
  std::vector<model::command> list = all.list;
  list[many_commands::alone].after = {};
  const planner::plan wrong = planner::make_plan(list, all.infos, all.machine);
  const auto found = planner::verify(all.list, all.infos, all.machine, wrong);
  ASSERT_TRUE(found.has_value());
  EXPECT_NE(found->reason.find("though its command is to run after that one"), std::string::npos)
      << found->reason;
}

}  // namespace
