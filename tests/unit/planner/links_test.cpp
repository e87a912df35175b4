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
  EXPECT_DOUBLE_EQ(way_over(machine.links[0]).seconds(3000), 5e-6);
  const std::vector<way> ways = ways_of(machine);
  EXPECT_DOUBLE_EQ(ways[1].seconds(3000), 5e-6);
  EXPECT_EQ(ways[0].seconds(3000), 0);
  EXPECT_EQ(ways[2].seconds(0), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(bytes_worth_latency(machine.links[0]), 2000.0);
}

TEST(links, that_nobody_has_measured_take_what_those_of_their_class_do) {
  const model::memory_id a(1), b(2);
  for (const char* backend : {"cuda", "hip", "simulated"}) {
    std::vector<model::link_description> links{{model::host_memory, a, 0, 0},
                                               {model::host_memory, a, 0, 0},
                                               {b, model::host_memory, 0, 0},
                                               {a, b, 0, 0},
                                               {b, a, 7e9, 3e-6}};
    estimate_links(links, 1, backend);
    EXPECT_EQ(links[0].bandwidth, 0) << "another backend's";
    EXPECT_GT(links[1].bandwidth, 0);
    EXPECT_GT(links[1].latency, 0);
    EXPECT_EQ(links[2].bandwidth, links[1].bandwidth);
    EXPECT_GT(links[3].bandwidth, links[1].bandwidth) << "not over the host";
    EXPECT_LT(links[3].latency, links[1].latency);
    EXPECT_EQ(links[4].bandwidth, 7e9) << "as described";
    EXPECT_EQ(links[4].latency, 3e-6);
  }
}

// One rule for whoever asks: planning of one command, of many, placement.
TEST(links, are_taken_straight_if_there_is_one_and_the_cheapest_of_several) {
  const model::memory_id to(3);
  const auto seconds = [](std::vector<std::vector<double>> of) {
    return [of](model::memory_id from, model::memory_id target) {
      return of[from.value()][target.value()];
    };
  };
  constexpr double none = -1;
  const auto linked = seconds({{0, 1, 1, 9}, {2, 0, none, 5}, {1, none, 0, 4}, {9, 9, 9, 0}});
  const auto over_host =
      seconds({{0, 1, 1, 9}, {2, 0, none, none}, {1, none, 0, none}, {9, 9, 9, 0}});
  const auto nowhere =
      seconds({{0, 1, 1, none}, {2, 0, none, none}, {1, none, 0, none}, {9, 9, 9, 0}});
  EXPECT_EQ(cheapest_route(0b110, to, linked).source.value(), 2U);
  EXPECT_FALSE(cheapest_route(0b110, to, linked).over_host);
  EXPECT_EQ(cheapest_route(0b110, to, over_host).source.value(), 2U);
  EXPECT_TRUE(cheapest_route(0b110, to, over_host).over_host);
  EXPECT_EQ(cheapest_route(0b111, to, over_host).source, model::host_memory);
  EXPECT_FALSE(cheapest_route(0b110, to, nowhere).source.valid());
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
