// SPDX-License-Identifier: Apache-2.0
// The page that `pianola view` writes, as text. What it does in a browser is tested in tests/system/view.
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "cut_graph.hpp"
#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class view : public ::testing::Test {
 protected:
  void SetUp() override {
    const tool_result r = run_tool({"view", graph_, plan_});
    if (r.exit_code == 2 && r.err.find("built without its page") != std::string::npos)
      GTEST_SKIP() << "npm was not there when this program was built";
  }

  // Between the tags of the element that holds the data.
  static std::string data_of(const std::string& page) {
    static const std::string begin = "<script id=\"content\" type=\"application/json\">";
    const std::size_t at = page.find(begin);
    if (at == std::string::npos) return {};
    const std::size_t from = at + begin.size();
    return page.substr(from, page.find("</script>", from) - from);
  }
  static json content_of(const tool_result& r) {
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return json::parse(data_of(r.out));
  }

  temporary_folder folder_;
  std::string graph_ = folder_.file("g.json", recorder::to_json(halo_graph(), two_devices()));
  std::string plan_ = folder_.file("p.json", planner::to_json(halo_plan(), halo_graph()));
};

TEST_F(view, gives_programs_what_the_page_shows) {
  const tool_result alone = run_tool({"view", graph_, plan_, "--json"});
  const json c = json::parse(alone.out);
  EXPECT_EQ(alone.out.substr(0, 30), "{\n  \"format\": \"pianola.view/1\"");
  EXPECT_EQ(c, content_of(run_tool({"view", graph_, plan_})));
  expect_one_line_of_complaint(run_tool({"view", graph_, plan_, "--json", "--serve"}));
}

TEST_F(view, finds_the_graph_beside_a_plan) {
  folder_.file("a.graph.json", formats::read_file(graph_));
  const std::string plan = folder_.file("a.plan.json", formats::read_file(plan_));
  const json alone = json::parse(run_tool({"view", plan, "--json"}).out);
  EXPECT_EQ(alone["commands"],
            json::parse(run_tool({"view", graph_, plan_, "--json"}).out)["commands"]);
  EXPECT_EQ(run_tool({"explain", plan}).out, run_tool({"explain", graph_, plan_}).out);
  // Its steps are numbers.
  const temporary_folder elsewhere;
  const tool_result r =
      run_tool({"view", elsewhere.file("p.json", formats::read_file(plan_)), "--json"});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("p.json: is a plan, which tells steps by numbers"));
}

TEST_F(view, puts_commands_edges_and_the_simulated_plan_into_the_page) {
  const json c = content_of(run_tool({"view", graph_, plan_}));
  EXPECT_EQ(c["title"], "g.json");
  EXPECT_EQ(c["planned"], "p.json");
  EXPECT_EQ(c["timed"], "simulated");
  EXPECT_EQ(c["commands"]["kind"].size(), 4U);
  EXPECT_EQ(c["texts"][c["commands"]["name"][2].get<std::size_t>()], "blur right");
  EXPECT_EQ(c["commands"]["needs"], json({1, 2, 2, 1}));
  EXPECT_EQ(c["commands"]["after"], json({1}));
  EXPECT_EQ(c["edges"]["from"], json({0, 0, 1, 2}));
  EXPECT_EQ(c["edges"]["to"], json({1, 2, 3, 3}));
  const json& s = c["steps"];
  EXPECT_EQ(s["command"], json({1, 2, 0, 3, 0, 4}));
  EXPECT_EQ(s["buffer"], json({0, 0, 1, 0, 2, 0}));
  EXPECT_EQ(s["from"], json({0, 0, 2, 0, 3, 0}));
  EXPECT_EQ(s["to"], json({0, 0, 3, 0, 2, 0}));
  EXPECT_EQ(s["lane"], json({0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(s["waits_for"], json({0, 3}));
  const json simulated = json::parse(run_tool({"simulate", graph_, plan_, "--json"}).out);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(s["end"][i].get<double>() * s["tick"].get<double>(),
                simulated["steps"][i]["end"].get<double>(), 1e-14)
        << i;
  EXPECT_EQ(s["critical"], simulated["critical_path"]);
}

TEST_F(view, loads_nothing_and_lets_nothing_else_run) {
  const tool_result r = run_tool({"view", graph_});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("default-src 'none'; script-src 'sha256-"));
  const std::regex loads(
      R"re(<(link|script|img|iframe|object|embed)\b[^>]*\b(src|href)\s*=\s*(?!"?data:))re",
      std::regex::icase);
  EXPECT_FALSE(std::regex_search(r.out, loads));
  EXPECT_THAT(r.out, Not(HasSubstr("@import")));
  for (const char* name : {"d3-zoom", "d3-selection", "d3-array"})
    EXPECT_THAT(r.out, HasSubstr(name));
  EXPECT_THAT(r.out, HasSubstr("Permission to use, copy, modify"));  // of their licence
}

TEST_F(view, keeps_hostile_names_within_the_data) {
  const std::string hostile =
      "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> & \xFF";
  recorder::command_graph graph;
  graph.add_buffer({model::page_grid({{1, 1, 16}}, {{1, 1, 4}}), 4, 1}, 1, hostile.c_str());
  add_kernel(graph, hostile.c_str(), 16, 0,
             {need(0, model::access_mode::write, linear(0, 16), true)});
  model::topology machine = two_devices();
  machine.devices[0].name = machine.memories[1].name = hostile;
  const tool_result r =
      run_tool({"view", folder_.file("<b>&.json", recorder::to_json(graph, machine))});
  const json c = content_of(r);
  EXPECT_THAT(data_of(r.out), Not(::testing::ContainsRegex("[<>&]")));
  const std::string repaired = hostile.substr(0, hostile.size() - 1) + "\xEF\xBF\xBD";
  EXPECT_EQ(c["buffers"][0]["name"], repaired);
  EXPECT_EQ(c["devices"][0]["name"], repaired);
  EXPECT_EQ(c["memories"][1]["name"], repaired);
  EXPECT_EQ(c["title"], "<b>&.json");
}

TEST_F(view, plans_the_graph_where_no_plan_is_named) {
  const json c = content_of(run_tool({"view", graph_}));
  EXPECT_EQ(c["planned"], "planned for this page");
  EXPECT_GE(c["steps"]["lane"].size(), 4U);
}

TEST_F(view, tells_what_commands_took_when_they_were_recorded) {
  recorder::measured_times measured;
  measured.set(model::command_id(1), 0.25);
  const std::string path =
      folder_.file("m.json", recorder::to_json(halo_graph(), two_devices(), measured));
  const json c = content_of(run_tool({"view", path, plan_}));
  EXPECT_EQ(c["commands"]["measured"], json({0, 0.25, 0, 0}));
  EXPECT_EQ(c["timed"], "simulated, with kernels as they were measured");
  const json& s = c["steps"];
  EXPECT_NEAR((s["end"][1].get<double>() - s["start"][1].get<double>()) * s["tick"].get<double>(),
              0.25, 1e-6);
}

TEST_F(view, draws_every_kind_of_command) {
  const std::string path =
      folder_.file("every.json", recorder::to_json(graph_of_every_kind(), two_devices()));
  const json c = content_of(run_tool({"view", path}));
  EXPECT_EQ(c["commands"]["kind"].size(), graph_of_every_kind().size());
}

TEST_F(view, writes_a_file_where_it_is_told_to) {
  const std::string out = folder_.file("page.html");
  const tool_result r = run_tool({"view", graph_, plan_, "-o", out});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(formats::read_file(out), run_tool({"view", graph_, plan_}).out);
}

TEST_F(view, of_a_plan_that_is_wrong_says_so) {
  planner::plan wrong = halo_plan();
  wrong.steps[2].wait_count = 0;
  const std::string path = folder_.file("w.json", planner::to_json(wrong, halo_graph()));
  const tool_result r = run_tool({"view", graph_, path});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("not valid: step 2"));
}

TEST_F(view, rejects_what_it_cannot_read) {
  expect_one_line_of_complaint(run_tool({"view"}));
  expect_one_line_of_complaint(run_tool({"view", folder_.file("none.json")}));
  expect_one_line_of_complaint(run_tool({"view", graph_, graph_}));
  expect_one_line_of_complaint(run_tool({"view", graph_, "-o", "/nowhere/page.html"}));
}

TEST_F(view, of_a_plan_in_parts_shows_the_parts) {
  const std::string whole =
      folder_.file("whole.json", recorder::to_json(graph_that_can_be_cut(), two_devices()));
  const std::string cut = folder_.file("cut.plan.json");
  ASSERT_EQ(run_tool({"plan", whole, "--split", "-o", cut}).exit_code, 0);
  const json c = content_of(run_tool({"view", whole, cut}));
  EXPECT_EQ(c["commands"]["kind"].size(), 2U);
  EXPECT_EQ(c["planned"], "cut.plan.json");
}

}  // namespace
