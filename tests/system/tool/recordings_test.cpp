// SPDX-License-Identifier: Apache-2.0
// Whole recordings compared, and plans of kernels in parts explained.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/formats/file.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "cut_graph.hpp"
#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class recordings : public ::testing::Test {
 protected:
  // A folder with the halo graph under these names, the first with the plan that ran.
  std::string recording(const std::string& name, const std::vector<std::string>& graphs) {
    const std::filesystem::path folder = std::filesystem::path(root_) / name;
    std::filesystem::create_directories(folder);
    for (const std::string& g : graphs)
      formats::write_file((folder / (g + ".graph.json")).string(),
                          recorder::to_json(halo_graph(), two_devices()));
    formats::write_file((folder / (graphs.front() + ".plan.json")).string(),
                        planner::to_json(halo_plan(), halo_graph()));
    return folder.string();
  }

  const temporary_folder temporary_;
  const std::string root_ = temporary_.path();
};

TEST_F(recordings, of_one_graph_each_are_compared_as_graphs_are) {
  const std::string a = recording("a", {"eager"}), b = recording("b", {"eager"});
  const tool_result r = run_tool({"diff", a, b});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, StartsWith("commands   4\n"));
  EXPECT_THAT(r.out, HasSubstr("transfers  2\n"));
}

TEST_F(recordings, are_compared_graph_by_graph_and_in_sum) {
  const std::string a = recording("a", {"eager", "graph-2", "graph-10"});
  const std::string b = recording("b", {"eager", "graph-2", "graph-11"});
  const tool_result r = run_tool({"diff", a, b, "--fail-on", "commands>+0"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, StartsWith("eager:\ncommands   4\n"));
  const std::size_t second = r.out.find("graph-2:\n"), alone = r.out.find("graph-10: only in a, 4");
  ASSERT_NE(second, std::string::npos) << r.out;
  ASSERT_NE(alone, std::string::npos) << r.out;
  EXPECT_LT(second, alone);
  EXPECT_THAT(r.out, HasSubstr("graph-11: only in b, 4 commands, "));

  const std::string more = recording("more", {"eager", "graph-2", "graph-10", "graph-11"});
  const tool_result failed = run_tool({"diff", a, more, "--fail-on", "commands>+3"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.err, "pianola: commands>+3: 12 -> 16\n");
}

TEST_F(recordings, are_given_to_programs_as_a_list) {
  const std::string a = recording("a", {"eager", "graph-0"}),
                    b = recording("b", {"eager", "graph-0"});
  json all = json::parse(run_tool({"diff", a, b, "--json"}).out);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1]["format"], "pianola.difference/1");
  EXPECT_EQ(all[1]["recording"], "graph-0");
}

TEST_F(recordings, that_share_no_graph_are_told_to_programs_all_the_same) {
  const std::string a = recording("a", {"graph-0"}), b = recording("b", {"graph-1"}),
                    both = recording("both", {"graph-0", "graph-1"});
  json apart = json::parse(run_tool({"diff", a, b, "--json"}).out);
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_EQ(apart[0]["only_in"], "a");
  EXPECT_EQ(apart[0]["recording"], "graph-0");
  EXPECT_EQ(apart[0]["a"]["commands"], 4);
  EXPECT_EQ(apart[1]["only_in"], "b");
  json more = json::parse(run_tool({"diff", a, both, "--json"}).out);
  ASSERT_EQ(more.size(), 2U);
  EXPECT_EQ(more[0]["same_commands"], true);
  EXPECT_EQ(more[1]["only_in"], "b");
  // Two graphs of one name are compared as two files are.
  EXPECT_TRUE(json::parse(run_tool({"diff", a, a, "--json"}).out).is_object());
}

TEST_F(recordings, must_be_some_and_have_plans_of_their_own) {
  const std::string a = recording("a", {"eager"}), none = root_ + "/none";
  std::filesystem::create_directories(none);
  const tool_result empty = run_tool({"diff", a, none});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("there is no recording in this folder\n"));
  const tool_result plan = run_tool({"diff", a, a, "--plan-a", a + "/eager.plan.json"});
  EXPECT_EQ(plan.exit_code, 2);
  EXPECT_THAT(plan.err, HasSubstr("--plan-a and --plan-b are of one graph"));
}

TEST_F(recordings, of_a_killed_program_are_compared_as_journals) {
  const auto journal_of = [this](const std::string& name, const char* steps) {
    const std::string folder = root_ + "/" + name;
    std::filesystem::create_directories(folder);
    // It may not write files as large as the graph would be.
    const std::string command = "cd '" + folder +
                                "' && ulimit -f 4 && PIANOLA_DEVICES=simulated:2:separate "
                                "PIANOLA_RECORD=. '" PIANOLA_RECORDED_RUN_PROGRAM "' loop " +
                                steps + " >/dev/null 2>&1";
    (void)!std::system(command.c_str());
    EXPECT_TRUE(std::filesystem::exists(folder + "/eager.journal"));
    return folder;
  };
  const std::string a = journal_of("a", "3"), b = journal_of("b", "5");
  const tool_result folders = run_tool({"diff", a, b, "--fail-on", "commands>+0"});
  EXPECT_EQ(folders.exit_code, 1) << folders.out;
  EXPECT_THAT(folders.out, HasSubstr("inserted: "));
  const tool_result files =
      run_tool({"diff", a + "/eager.journal", b + "/eager.journal", "--fail-on", "commands>+0"});
  EXPECT_EQ(files.exit_code, 1);
  EXPECT_EQ(files.out, folders.out);
}

TEST_F(recordings, plans_in_parts_are_explained) {
  std::filesystem::create_directories(root_);
  recorder::command_graph graph = graph_that_can_be_cut();
  // Somebody needs all of it on one device.
  add_kernel(graph, "sum", 1, 0, {need(0, model::access_mode::read, model::box::of({{1, 8, 8}}))});
  const std::string whole = root_ + "/whole.json", cut = root_ + "/cut.json";
  formats::write_file(whole, recorder::to_json(graph, two_devices()));
  ASSERT_EQ(run_tool({"plan", whole, "--split", "--place", "as_submitted", "-o", cut}).exit_code,
            0);
  const tool_result all = run_tool({"explain", whole, cut, "--json"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const json list = json::parse(all.out);
  ASSERT_EQ(list["transfers"].size(), 1U) << all.out;
  EXPECT_EQ(list["transfers"][0]["origins"][0]["written_by"]["name"], "start");
  const std::string step = std::to_string(list["transfers"][0]["step"].get<unsigned>());
  const tool_result one = run_tool({"explain", whole, cut, "--transfer", step});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("needed by:\n  #2 sum on device 0"));
  EXPECT_EQ(run_tool({"advise", whole, cut}).exit_code, 0);
  const tool_result compared = run_tool({"diff", whole, whole, "--plan-b", cut});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("commands   2 -> 3"));
}

}  // namespace
