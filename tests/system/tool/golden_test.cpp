// SPDX-License-Identifier: Apache-2.0
// What the tool prints for tests/system/tool/golden/*.json, compared with the files beside them. To accept a
// change, run once with PIANOLA_UPDATE_GOLDEN=1 and read the difference.
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;

std::string golden(const char* name) {
  return std::string(PIANOLA_SOURCE_DIR "/tests/system/tool/golden/") + name;
}

void expect_golden(const char* name, const std::string& text) {
  if (std::getenv("PIANOLA_UPDATE_GOLDEN") != nullptr) formats::write_file(golden(name), text);
  EXPECT_EQ(text, formats::read_file(golden(name)));
}

std::string printed(const std::vector<std::string>& arguments) {
  const tool_result r = run_tool(arguments);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  return r.out;
}

TEST(golden, files_are_written_byte_for_byte) {
  const recorder::command_graph graph = halo_graph();
  expect_golden("halo.graph.json", recorder::to_json(graph, two_devices()));
  expect_golden("halo.plan.json", planner::to_json(halo_plan(), graph));
  expect_golden("kinds.graph.json", recorder::to_json(graph_of_every_kind(), two_devices()));
  expect_golden("touched.graph.json", recorder::to_json(graph_with_footprints(), two_devices()));
}

TEST(golden, one_of_the_files_has_every_kind_of_command) {
  const recorder::loaded_graph loaded = recorder::load_graph(golden("kinds.graph.json"));
  std::set<model::command_kind> kinds;
  for (const model::command& c : loaded.graph.commands()) kinds.insert(model::kind_of(c.payload));
  EXPECT_EQ(kinds.size(), model::word_count<model::command_kind>) << "see graph_of_every_kind";
}

TEST(golden, files_are_read_and_written_again_byte_for_byte) {
  for (const char* name : {"halo.graph.json", "kinds.graph.json", "touched.graph.json"}) {
    const recorder::loaded_graph loaded = recorder::load_graph(golden(name));
    EXPECT_EQ(recorder::to_json(loaded.graph, loaded.topology), formats::read_file(golden(name)));
  }
  const recorder::loaded_graph loaded = recorder::load_graph(golden("halo.graph.json"));
  const planner::plan plan =
      planner::load_plan(golden("halo.plan.json"), loaded.graph, loaded.topology);
  EXPECT_EQ(planner::to_json(plan, loaded.graph), formats::read_file(golden("halo.plan.json")));
}

TEST(golden, show_prints_graph_and_plan) {
  expect_golden("halo.graph.txt", printed({"show", golden("halo.graph.json")}));
  expect_golden("halo.plan.txt",
                printed({"show", golden("halo.graph.json"), golden("halo.plan.json")}));
  expect_golden("kinds.graph.txt", printed({"show", golden("kinds.graph.json")}));
  expect_golden("touched.graph.txt", printed({"show", golden("touched.graph.json")}));
}

TEST(golden, show_prints_what_planning_knows_after_each_pass) {
  expect_golden("halo.passes.txt", printed({"show", golden("halo.graph.json"), "--passes"}));
}

TEST(golden, show_draws_graph_and_plan) {
  expect_golden("halo.graph.dot", printed({"show", golden("halo.graph.json"), "--dot"}));
  expect_golden("halo.plan.dot",
                printed({"show", golden("halo.graph.json"), golden("halo.plan.json"), "--dot"}));
  expect_golden("kinds.graph.dot", printed({"show", golden("kinds.graph.json"), "--dot"}));
}

}  // namespace
