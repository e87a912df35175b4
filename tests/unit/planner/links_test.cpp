// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

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
  const connections ways(machine);
  const model::memory_id host(0), other(1);
  EXPECT_DOUBLE_EQ(ways.between(host, other).seconds(3000), 5e-6);
  EXPECT_EQ(ways.between(host, host).seconds(3000), 0);
  EXPECT_EQ(ways.between(other, host).seconds(0), std::numeric_limits<double>::infinity());
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
  // In the places of bandwidths; 0: no link.
  const auto linked = [](const std::vector<std::vector<double>>& of) {
    model::topology machine;
    machine.memories.resize(of.size());
    for (std::uint16_t from = 0; from < of.size(); ++from)
      for (std::uint16_t into = 0; into < of.size(); ++into)
        if (of[from][into] != 0)
          machine.links.push_back(
              {model::memory_id(from), model::memory_id(into), of[from][into], 0});
    return connections(machine);
  };
  const model::memory_set one_two{model::memory_id(1), model::memory_id(2)};
  const model::memory_set host_too = one_two | model::memory_set(model::host_memory);
  const connections straight = linked({{0, 9, 9, 1}, {5, 0, 0, 2}, {9, 0, 0, 4}, {1, 1, 1, 0}});
  EXPECT_EQ(straight.cheapest(one_two, to, 100).source.value(), 2U);
  EXPECT_FALSE(straight.cheapest(one_two, to, 100).over_host);
  EXPECT_EQ(straight.cheapest(one_two, to, 0).source.value(), 1U) << "the lowest of equals";
  const connections over_host = linked({{0, 9, 9, 1}, {5, 0, 0, 0}, {9, 0, 0, 0}, {1, 1, 1, 0}});
  EXPECT_EQ(over_host.cheapest(one_two, to, 100).source.value(), 2U);
  EXPECT_TRUE(over_host.cheapest(one_two, to, 100).over_host);
  EXPECT_EQ(over_host.cheapest(host_too, to, 100).source, model::host_memory);
  const connections nowhere = linked({{0, 9, 9, 0}, {5, 0, 0, 0}, {9, 0, 0, 0}, {1, 1, 1, 0}});
  EXPECT_FALSE(nowhere.cheapest(one_two, to, 100).source.valid());
}

// Against a look at every link: few kinds of links, or many that differ, and more memories than there are bits in a word.
TEST(links, into_a_memory_are_chosen_among_however_many_and_whatever_they_take) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const std::uint16_t memories = seed % 2 == 0 ? 2 + rng() % 10 : 60 + rng() % 90;
    const std::uint32_t kinds = seed % 4 < 2 ? 3 : 1000;
    const bool peers = rng() % 3 != 0;
    model::topology machine;
    machine.memories.resize(memories);
    for (std::uint16_t from = 0; from < memories; ++from)
      for (std::uint16_t to = 0; to < memories; ++to)
        if (from != to && (from == 0 || to == 0 || (peers && rng() % 4 == 0)))
          machine.links.push_back({model::memory_id(from), model::memory_id(to),
                                   1.0 + rng() % kinds, 1.0 + rng() % kinds});
    std::shuffle(machine.links.begin(), machine.links.end(), rng);
    const connections links(machine);
    const auto link = [&](model::memory_id from, model::memory_id to) {
      return std::find_if(machine.links.begin(), machine.links.end(),
                          [&](const auto& l) { return l.from == from && l.to == to; });
    };
    for (int question = 0; question < 50; ++question) {
      const model::memory_id to(static_cast<std::uint16_t>(rng() % memories));
      model::memory_set valid;
      for (std::uint32_t n = 1 + rng() % 6; n > 0; --n)
        valid.add(model::memory_id(static_cast<std::uint16_t>(rng() % memories)));
      valid.remove(to);
      if (valid.empty()) continue;
      const std::uint64_t bytes = rng() % 5;
      const auto best_into = [&](model::memory_id into) {
        model::memory_id best;
        double least = 0;
        valid.for_each([&](model::memory_id m) {
          const auto l = link(m, into);
          if (l == machine.links.end()) return;
          const double seconds = way_over(*l).seconds(bytes);
          if (best.valid() && seconds >= least) return;
          best = m;
          least = seconds;
        });
        return best;
      };
      const route found = links.cheapest(valid, to, bytes);
      const model::memory_id direct = best_into(to);
      EXPECT_EQ(found.over_host, !direct.valid());
      EXPECT_EQ(found.source, direct.valid() ? direct : best_into(model::host_memory));
      const model::memory_id from = valid.lowest();
      const auto known = link(from, to);
      EXPECT_EQ(links.link(from, to),
                known == machine.links.end()
                    ? connections::none
                    : static_cast<std::uint32_t>(known - machine.links.begin()));
    }
  }
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
