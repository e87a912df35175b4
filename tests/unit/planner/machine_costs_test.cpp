// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <pianola/planner/cost/machine_costs.hpp>
#include <pianola/planner/cost/operation_worth.hpp>

#include "cost/estimates.hpp"
#include "planning_fixture.hpp"

namespace pianola::planner {
namespace {

using test::device1;
using test::four_devices;
using test::host;
using test::memory1;
using test::memory2;

model::command kernel_over(std::uint64_t items) {
  model::kernel_command kernel;
  kernel.id = model::kernel_id(7);
  kernel.geometry.global = {{1, 1, items}};
  model::command c;
  c.payload = kernel;
  return c;
}

TEST(machine_costs, of_a_kernel_are_what_bounds_it) {
  model::topology machine = four_devices();
  machine.devices[1].speed = {1e-6, 1e9, 1e8, 1e-6};
  const machine_costs costs(machine);
  model::command c = kernel_over(1000);
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, device1), 1e-6 + 1000 / 1e8) << "an operation for each";
  std::get<model::kernel_command>(c.payload).work = {1e6, 1000};
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, device1), 1e-6 + 1e6 / 1e9) << "bytes";
}

TEST(machine_costs, of_a_kernel_of_which_nothing_is_known_are_more_with_groups_on_a_processor) {
  model::topology machine = four_devices();
  for (model::device_description& d : machine.devices) d.speed = {1e-6, 1e12, 1e9, 1e-6};
  machine.devices[1].backend = "simulated";
  machine.devices[2].backend = "cuda";
  const machine_costs costs(machine);
  model::command c = kernel_over(1000);
  std::get<model::kernel_command>(c.payload).geometry.grouped = true;
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, device1), 1e-6 + 30 * 1000 / 1e9);
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, test::device2), 1e-6 + 1000 / 1e9);
  std::get<model::kernel_command>(c.payload).work = {1, 1000};
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, device1), 1e-6 + 1000 / 1e9) << "its operations are known";
}

TEST(machine_costs, of_a_kernel_that_computes_much_are_those_of_what_it_computes) {
  model::topology machine = four_devices();
  machine.devices[1].speed = {1e-6, 1e9, 1e8, 1e-6};
  model::command c = kernel_over(1000);
  // A product of matrices: few work-items and bytes, many operations.
  std::get<model::kernel_command>(c.payload).work = {1e4, 2e6};
  EXPECT_DOUBLE_EQ(machine_costs(machine).seconds(c, {}, device1), 1e-6 + 2e6 / 1e8);
  std::get<model::kernel_command>(c.payload).work = {1e9, 2e6};
  EXPECT_DOUBLE_EQ(machine_costs(machine).seconds(c, {}, device1), 1e-6 + 1.0)
      << "the other roof is lower";
}

TEST(machine_costs, of_operations_on_a_device_that_nobody_measured_are_an_estimate) {
  model::topology machine = four_devices();
  for (const model::device_id d : {test::cpu, device1})
    machine.devices[d.value()].speed = {1e-6, 1e12, 0, 1e-6};
  const machine_costs costs(machine);
  model::command c = kernel_over(1000);
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, test::cpu), 1e-6 + 1000 / processor_estimates.work_items);
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, device1), 1e-6 + 1000 / graphics_estimates.work_items);
  std::get<model::kernel_command>(c.payload).work = {0, 8e6};
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, test::cpu), 1e-6 + 8e6 / processor_estimates.operations);
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, device1), 1e-6 + 8e6 / graphics_estimates.operations);
}

TEST(machine_costs, of_divisions_and_functions_count_for_several_additions) {
  EXPECT_EQ(worth_in_additions(3, 0, 0), 3.0);
  EXPECT_GT(worth_in_additions(0, 1, 0), worth_in_additions(1, 0, 0));
  EXPECT_GT(worth_in_additions(0, 0, 1), worth_in_additions(0, 1, 0));
}

TEST(machine_costs, of_a_kernel_that_was_measured_are_what_was_measured) {
  model::topology machine = four_devices();
  machine.kernel_times.push_back({model::kernel_id(9), device1, 1.0, 1.0});
  machine.kernel_times.push_back({model::kernel_id(7), device1, 2e-6, 3e-9});
  const machine_costs costs(machine);
  EXPECT_DOUBLE_EQ(costs.seconds(kernel_over(1000), {}, device1), 2e-6 + 3e-6);
  EXPECT_NE(costs.seconds(kernel_over(1000), {}, test::device2), 2e-6 + 3e-6);
}

TEST(machine_costs, of_a_part_of_a_kernel_are_those_of_its_own_items) {
  model::topology machine = four_devices();
  machine.kernel_times.push_back({model::kernel_id(7), device1, 2e-6, 3e-9});
  machine.devices[2].speed = {1e-6, 1e9, 1e8, 1e-6};
  const machine_costs costs(machine);
  const model::box quarter{{{0, 0, 250}}, {{1, 1, 500}}};
  model::command c = kernel_over(1000);
  std::get<model::kernel_command>(c.payload).geometry.part = &quarter;
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, device1), 2e-6 + 250 * 3e-9) << "measured";
  EXPECT_DOUBLE_EQ(costs.seconds(c, {}, test::device2), 1e-6 + 250 / 1e8) << "estimated";
}

TEST(machine_costs, of_a_copy_between_two_memories_are_those_of_the_transfer) {
  const model::topology machine = four_devices();
  const machine_costs costs(machine);
  model::copy_command copy;
  copy.source.memory = host;
  copy.destination.requirement = 0;
  copy.width = 1000;
  const model::requirement written =
      test::needs(model::buffer_id(0), model::access_mode::write, test::span(0, 250), true);
  const std::vector<model::buffer_info> buffers{test::row(250)};
  model::command c;
  c.payload = copy;
  c.requirements = {&written, 1};
  EXPECT_DOUBLE_EQ(costs.seconds(c, buffers, device1), 1e-5 + 1e-7);
  EXPECT_NE(costs.seconds(c, buffers, test::cpu), 1e-5 + 1e-7) << "it stays in the host's memory";
}

TEST(machine_costs, of_a_transfer_without_a_link_go_over_the_host) {
  const model::topology machine = four_devices(test::links::host_only);
  const machine_costs costs(machine);
  EXPECT_DOUBLE_EQ(costs.seconds(host, memory1, 1000), 1e-5 + 1e-7);
  EXPECT_DOUBLE_EQ(costs.seconds(memory1, memory2, 1000), 2e-5 + 2e-7);
  EXPECT_EQ(costs.seconds(memory1, memory1, 1000), 0.0);
}

TEST(machine_costs, of_a_transfer_without_any_way_are_infinite) {
  model::topology machine = four_devices();
  machine.links.clear();
  EXPECT_EQ(machine_costs(machine).seconds(memory1, memory2, 1),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace pianola::planner
