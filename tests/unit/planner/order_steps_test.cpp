// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <pianola/planner/placement.hpp>

#include "planning_fixture.hpp"

namespace pianola::planner {
namespace {

using namespace test;

// Commands of so many milliseconds each, on devices that somebody has chosen, in an order of theirs.
class PlannedOrder : public ::testing::Test {
 protected:
  PlannedOrder() {
    for (model::device_description& d : machine.devices) d.speed = {1e-6, 1e12, 1e9, 1e-6};
    for (int i = 0; i < 3; ++i) buffers.push_back(row(1 << 18));
  }

  void command(model::device_id device, double milliseconds, std::vector<model::requirement> r) {
    model::kernel_command kernel;
    kernel.work = {1, milliseconds * 1e6};
    commands.add(device, std::move(r), {}, kernel);
    commands.all().back().candidates = {both, 2};
    chosen.devices.push_back(device);
  }
  [[nodiscard]] static model::requirement whole(std::uint32_t buffer, access_mode mode,
                                                bool no_init = false) {
    return needs(model::buffer_id(buffer), mode, span(0, 1 << 18), no_init);
  }

  // Steps one after the other: numbers of commands, and names of the buffers that move.
  [[nodiscard]] std::string steps(std::uint64_t budget = 0) const {
    options o;
    o.place = placing::anywhere;
    o.chosen = &chosen;
    o.memory_budget = budget;
    const plan made = make_plan(commands.all(), buffers, machine, o);
    const auto problem = verify(commands.all(), buffers, machine, made);
    EXPECT_FALSE(problem) << problem->reason;
    std::string text;
    for (const step& s : made.steps) {
      if (!text.empty()) text += ' ';
      if (const auto* e = std::get_if<execute_step>(&s.action))
        text += std::to_string(e->command.value());
      else
        text += "xyz"[std::get<transfer_step>(s.action).buffer.value()];
    }
    return text;
  }

  static constexpr model::device_id both[] = {device1, device2};
  model::topology machine = four_devices();
  std::vector<model::buffer_info> buffers;
  command_list commands;
  chosen_placement chosen;
};

TEST_F(PlannedOrder, has_transfers_as_soon_as_their_data_is_there) {
  command(device1, 9, {whole(0, access_mode::write, true)});
  command(device1, 1, {whole(1, access_mode::write, true)});
  command(device2, 12, {whole(2, access_mode::write, true)});
  command(device2, 1, {whole(0, access_mode::read), whole(2, access_mode::read_write)});
  command(device2, 1, {whole(1, access_mode::read), whole(2, access_mode::read_write)});
  chosen.order = {1, 2, 0, 3, 4};
  // y is there after one millisecond, x after ten; both are needed after twelve, x first.
  EXPECT_EQ(steps(), "1 2 0 y x 3 4");
}

TEST_F(PlannedOrder, is_that_of_whoever_has_placed_the_commands) {
  for (std::uint32_t b = 0; b < 3; ++b) command(device1, 1, {whole(b, access_mode::read_write)});
  chosen.order = {2, 0, 1};
  EXPECT_EQ(steps(), "2 0 1");
}

TEST_F(PlannedOrder, has_what_starts_sooner_first_even_if_something_else_is_more_urgent) {
  command(device2, 5, {whole(0, access_mode::write, true)});
  command(device1, 10, {whole(0, access_mode::read), whole(1, access_mode::read_write)});
  command(device1, 1, {whole(2, access_mode::read_write)});
  for (model::command& c : commands.all()) c.candidates = {};
  options o;
  o.place = placing::anywhere;
  // The short one has all done by the time that the long one has its data.
  EXPECT_EQ(choose_placement(commands.all(), buffers, machine, o).order,
            (std::vector<std::uint32_t>{0, 2, 1}));
}

TEST_F(PlannedOrder, gives_way_to_what_a_short_memory_needs) {
  for (model::buffer_info& b : buffers) b.evictable = true;
  // Each buffer twice: where there is room for one, it is used up before the next one is brought.
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t b = 0; b < 3; ++b) command(device1, 1, {whole(b, access_mode::read)});
  chosen.order = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(steps(), "0 1 2 3 4 5");
  EXPECT_EQ(steps(1 << 20), "x 0 3 y 1 4 z 2 5");
}

}  // namespace
}  // namespace pianola::planner
