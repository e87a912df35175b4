// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <pianola/model/error.hpp>
#include <pianola/planner/cost/links.hpp>
#include <pianola/planner/make_plan.hpp>

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

// Names come from files, and errors are one line that a terminal shows as it is.
TEST(links, that_are_missing_are_told_in_one_line_whatever_names_are) {
  const auto told = [](const model::topology& machine) -> std::string {
    try {
      static_cast<void>(make_plan({}, {}, machine));
    } catch (const model::user_error& e) {
      return e.what();
    }
    return "";
  };
  model::topology machine;
  machine.memories.resize(2);
  machine.memories[1].name = "first\n\x1b[2Jsecond";
  machine.devices.resize(1);
  machine.devices[0].name = "a\nb";
  machine.devices[0].memory = model::memory_id(1);
  EXPECT_EQ(told(machine),
            "memory 1 (first  [2Jsecond) is not linked with the host's memory in both directions; "
            "add the links to the topology");
  machine.devices[0].memory = model::memory_id(7);
  EXPECT_EQ(told(machine), "device a b names a memory that the topology lacks");
}

}  // namespace
}  // namespace pianola::planner
