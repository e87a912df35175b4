// SPDX-License-Identifier: Apache-2.0
// The figures that decisions are made from: a change of one changes schedules, and is made here on purpose.
#include <gtest/gtest.h>

#include <pianola/planner/cost/cost_model.hpp>

namespace pianola::planner {
namespace {

TEST(cost_model, of_a_processor_counts_work_items_and_bytes) {
  EXPECT_EQ(kernel_cost(processor_costs, 1), 1000.0);
  EXPECT_EQ(kernel_cost(processor_costs, 1000), 1000.0);
  EXPECT_EQ(kernel_cost(processor_costs, 5000), 5000.0);
  EXPECT_EQ(kernel_cost(processor_costs, 5000, 12.5), 12.5) << "what was measured goes before";
  EXPECT_EQ(copy_cost(processor_costs, 4096), 409.6);
  EXPECT_EQ(fill_cost(processor_costs, 100), 10.0);
  EXPECT_EQ(processor_costs.other, 10.0);
}

TEST(cost_model, of_a_graphics_processor_counts_starts_as_well) {
  EXPECT_EQ(kernel_cost(graphics_costs, 0), 3000.0);
  EXPECT_DOUBLE_EQ(kernel_cost(graphics_costs, 1'000'000), 23000.0);
  EXPECT_EQ(copy_cost(graphics_costs, 0), 5000.0);
  EXPECT_EQ(copy_cost(graphics_costs, 20'000), 6000.0);
  EXPECT_EQ(fill_cost(graphics_costs, 1'000'000), 3000.0);
  EXPECT_EQ(graphics_costs.other, 0.0);
}

TEST(cost_model, of_a_link_is_its_latency_and_its_bandwidth) {
  model::topology machine;
  machine.memories.resize(2);
  machine.links.push_back({model::memory_id(0), model::memory_id(1), 1e9, 2e-6});
  EXPECT_DOUBLE_EQ(transfer_seconds(machine.links[0], 3000), 5e-6);
  EXPECT_DOUBLE_EQ(transfer_seconds(machine, model::memory_id(0), model::memory_id(1), 3000), 5e-6);
  EXPECT_LT(transfer_seconds(machine, model::memory_id(1), model::memory_id(0), 3000), 0);
  EXPECT_DOUBLE_EQ(bytes_worth_latency(machine.links[0]), 2000.0);
}

}  // namespace
}  // namespace pianola::planner
