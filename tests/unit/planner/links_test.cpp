// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pianola/planner/cost/links.hpp>

namespace pianola::planner {
namespace {

TEST(links, take_their_latency_and_what_their_bandwidth_says) {
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
