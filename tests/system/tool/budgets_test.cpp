// SPDX-License-Identifier: Apache-2.0
// Memories and budgets that a graph does not fit, as the tool tells of them.
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;
using ::testing::HasSubstr;

// Three buffers of 1 KiB, used in turns on device 0.
recorder::command_graph turns(bool evictable) {
  recorder::command_graph graph;
  model::buffer_info info{model::page_grid(model::extent3{{1, 1, 256}}), 4, 1};
  info.evictable = evictable;
  const char* const names[] = {"a", "b", "c"};
  for (std::uint32_t b = 0; b < 3; ++b) graph.add_buffer(info, b + 1, names[b]);
  for (std::uint32_t i = 0; i < 6; ++i)
    add_kernel(graph, "use", 256, 0, {need(i % 3, model::access_mode::read_write, linear(0, 256))});
  return graph;
}

class budgets : public ::testing::Test {
 protected:
  std::string machine(std::uint64_t bytes) {
    model::topology t = two_devices();
    for (std::size_t m = 1; m < t.memories.size(); ++m) t.memories[m].bytes = bytes;
    return folder_.file("m.json", recorder::to_json(t));
  }
  static std::uint64_t peak(const std::string& plan) {
    const json p = json::parse(plan);
    for (const json& m : p["memories"])
      if (m["memory"] == 1) return m["peak"];
    return 0;
  }

  temporary_folder folder_;
  std::string graph_ = folder_.file("g.json", recorder::to_json(turns(false), two_devices()));
  std::string leaves_ = folder_.file("e.json", recorder::to_json(turns(true), two_devices()));
};

TEST_F(budgets, of_a_machine_that_are_too_small_are_told_with_both_files_by_whoever_plans) {
  const std::string small = machine(2500);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"plan"},
                                                {"plan", "--place", "anywhere"},
                                                {"show", "--passes"},
                                                {"explain"},
                                                {"advise"}}) {
    std::vector<std::string> all = words;
    all.insert(all.begin() + 1, graph_);
    all.insert(all.end(), {"--topology", small});
    const tool_result r = run_tool(all);
    expect_one_line_of_complaint(r);
    EXPECT_THAT(r.err, HasSubstr("pianola: " + graph_ + ": the graph cannot be planned for " +
                                 small + ": the graph needs 3072 bytes in memory 'sim0'"))
        << words[0];
    EXPECT_THAT(r.err, HasSubstr("its budget is 2500 bytes; the largest are buffer"));
  }
}

TEST_F(budgets, that_are_asked_for_are_kept_or_refused) {
  const auto plan = [&](const std::string& graph, const std::string& budget) {
    return run_tool({"plan", graph, "--memory-budget", budget});
  };
  tool_result r = plan(graph_, "3KiB");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(peak(r.out), 3072U);
  r = plan(leaves_, "2048");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(peak(r.out), 2048U);
  EXPECT_EQ(json::parse(r.out)["memories"].back()["budget"], 2048);
  r = run_tool({"verify", leaves_, folder_.file("p.json", r.out)});
  EXPECT_EQ(r.out, "valid\n") << r.err;

  r = plan(graph_, "3071");
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr(graph_ + ": the graph cannot be planned for its own machine: the "
                                        "graph needs 3072 bytes in memory 'sim0'"));
  EXPECT_THAT(r.err, HasSubstr("the largest are buffer 'a' with 1024, buffer 'b' with 1024"));
  r = plan(leaves_, "1000");
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr(leaves_ + ": the graph cannot be planned for its own machine: "));
}

TEST_F(budgets, that_are_no_sizes_are_refused) {
  for (const char* budget : {"0", "0KiB", "-1", "-1KiB", "nan", "", "12 parsecs", "12 MiB", "1e3",
                             "0x10", "99999999999GiB", "4194305TiB", "18446744073709551616"}) {
    const tool_result r = run_tool({"plan", leaves_, std::string("--memory-budget=") + budget});
    expect_one_line_of_complaint(r);
    EXPECT_THAT(r.err, HasSubstr("--memory-budget")) << budget;
  }
}

// What the plan of a file needs counts, whatever machine it is looked at for and whatever it says.
TEST_F(budgets, of_a_machine_are_held_against_plans_of_files) {
  const std::string text = run_tool({"plan", graph_}).out;
  const std::string small = machine(2500);
  json silent = json::parse(text);
  silent.erase("memories");
  for (const std::string& plan : {text, silent.dump()}) {
    const std::string file = folder_.file("p.json", plan);
    for (const char* subcommand : {"verify", "simulate"}) {
      const tool_result r = run_tool({subcommand, graph_, file, "--topology", small});
      EXPECT_EQ(r.exit_code, 1) << r.err;
      EXPECT_EQ(r.out,
                "not valid: the plan as a whole: the plan needs 3072 bytes in memory 1, whose "
                "budget is 2500\n");
    }
  }
}

}  // namespace
