// SPDX-License-Identifier: Apache-2.0
// Explanations, advice and differences, as a user asks for them.
#include <sys/stat.h>
#include <unistd.h>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/planner/bodies.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"
#include "schema_check.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class asked : public ::testing::Test {
 protected:
  temporary_folder folder_;
  std::string graph_ = folder_.file("g.json", recorder::to_json(halo_graph(), two_devices()));
  std::string plan_ = folder_.file("p.json", planner::to_json(halo_plan(), halo_graph()));
};

TEST_F(asked, lists_what_can_be_asked_for) {
  const tool_result r = run_tool({"explain", graph_, plan_});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("2 transfers, 80 B\n"));
  EXPECT_THAT(r.out, HasSubstr("--transfer 2  u [4,16)"));
  EXPECT_THAT(r.out, HasSubstr("--edge 0:1  #0 start -> #1 blur left"));
  const json j = json::parse(run_tool({"explain", graph_, plan_, "--json"}).out);
  EXPECT_EQ(j["format"], "pianola.explanation/1");
  EXPECT_EQ(j["transfers"].size(), 2U);
  EXPECT_EQ(j["transfers"][0]["origins"][0]["written_by"]["name"], "start");
}

// The body of a loop, in which two devices take turns on a buffer.
TEST(asked_of_loops, what_each_iteration_moves_is_told_and_bodies_are_verified) {
  const model::buffer_info info{model::page_grid(model::extent3{{1, 1, 16}}), 4, 1};
  const model::topology machine = two_devices();
  auto body = std::make_shared<recorder::command_graph>();
  body->add_buffer(info, 0, "u");
  const model::requirement needed = need(0, model::access_mode::read_write, linear(0, 16));
  for (std::uint16_t d = 0; d < 2; ++d) {
    model::command c;
    c.payload = model::kernel_command{};
    c.device = model::device_id(d);
    c.requirements = {&needed, 1};
    c.label = d == 0 ? "left" : "right";
    body->append(c);
  }
  planner::plan how = planner::make_plan(body->commands(), body->buffers(), machine);
  ASSERT_TRUE(planner::follows_itself(how));
  const std::vector<model::buffer_id> names{model::buffer_id(0)};
  const planner::body bodies[] = {{&how, names}};
  const auto of_loop = planner::requirements_of(bodies, model::memory_id(1), false);
  recorder::command_graph graph;
  graph.add_buffer(info, 0, "u");
  model::command loop;
  loop.payload = model::subgraph_command{nullptr, 2, model::control_kind::loop};
  loop.device = model::device_id(0);
  loop.requirements = of_loop.needed;
  loop.label = "while";
  const model::command_id id = graph.append(loop);
  how.graph_hash = body->structural_hash();
  std::string stored = planner::to_json(how, planner::graph_view(*body), &machine);
  stored.pop_back();
  graph.add_body({id, names, body, stored});

  const temporary_folder folder;
  const std::string text = recorder::to_json(graph, machine);
  const std::string file = folder.file("g.json", text), plan = folder.file("p.json", "");
  EXPECT_EQ(check_schema("pianola.graph-1.schema.json", json::parse(text)), "");
  ASSERT_EQ(run_tool({"plan", file, "-o", plan}).exit_code, 0);
  tool_result r = run_tool({"verify", file, plan});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  r = run_tool({"explain", file, plan});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out,
              HasSubstr("command 0 'while' runs a graph, repeated while the condition holds, "
                        "which moves 128 B in 2 transfers in each iteration:\n"));
  EXPECT_THAT(r.out, HasSubstr("sim1 -> sim0"));
  const json told = json::parse(run_tool({"explain", file, plan, "--json"}).out);
  ASSERT_EQ(told["graphs"].size(), 1U);
  const json& of_loop_told = told["graphs"][0];
  EXPECT_EQ(of_loop_told["of"]["name"], "while");
  EXPECT_EQ(of_loop_told["how"], "repeated while the condition holds");
  EXPECT_EQ(of_loop_told["in_each_iteration"], true);
  EXPECT_EQ(of_loop_told["bytes"], 128);
  EXPECT_EQ(of_loop_told["transfers"], 2);
  EXPECT_EQ(of_loop_told["explanation"]["what"], "graph");
  EXPECT_EQ(of_loop_told["explanation"]["transfers"].size(), 2U);
  EXPECT_EQ(of_loop_told["explanation"].count("graphs"), 0U);
  // Of one command or transfer that is asked for nothing else is told.
  EXPECT_EQ(
      json::parse(run_tool({"explain", file, plan, "--node", "0", "--json"}).out).count("graphs"),
      0U);
  r = run_tool({"show", file, plan});
  EXPECT_THAT(r.out, HasSubstr("command 0 'while' runs, repeated while the condition holds:\n"));
  EXPECT_THAT(run_tool({"show", file, "--dot"}).out,
              HasSubstr("repeated while the condition holds"));

  // An iteration that would have to be somewhere else, a plan that is not of this body, a command that hides what it writes.
  const auto changed = [&](auto&& change) {
    json g = json::parse(text);
    g.erase("structural_hash");
    change(g["commands"][0]);
    return run_tool({"verify", folder.file("other.json", g.dump()), plan});
  };
  r = changed([](json& c) {
    json& p = c["subgraph"]["graphs"][0]["plan"];
    for (json& e : p["exit"]) e["memories"] = {1};
  });
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("not valid: the plan as a whole: in a graph that command 0 runs: "));
  r = changed([](json& c) { c["subgraph"]["graphs"][0]["plan"]["graph_hash"] = "0x1"; });
  EXPECT_EQ(r.exit_code, 2) << r.out;
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("a graph that command 0 runs: "));
}

TEST_F(asked, explains_a_transfer_and_what_smaller_pages_gain) {
  const tool_result r = run_tool({"explain", graph_, plan_, "--transfer", "2"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("needed by:\n  #2 blur right on device 1 (simulated device 1)"));
  EXPECT_THAT(r.out, HasSubstr("written by #0 start on device 0 (simulated device 0)"));
  EXPECT_THAT(r.out, HasSubstr("pages of 2 elements for u, instead of 4: -8 B"));
  const json j = json::parse(run_tool({"explain", graph_, plan_, "--transfer", "2", "--json"}).out);
  EXPECT_EQ(j["bytes"], 48);
  bool found = false;
  for (const json& s : j["suggestions"])
    if (s["change"] == "page_size") {
      found = true;
      EXPECT_EQ(s["page"], json({1, 1, 2}));
      EXPECT_EQ(s["before"]["bytes"].get<int>() - s["after"]["bytes"].get<int>(), 8);
    }
  EXPECT_TRUE(found);
}

TEST_F(asked, explains_edges_and_commands) {
  EXPECT_THAT(run_tool({"explain", graph_, "--edge", "0:1"}).out,
              HasSubstr("the second reads what the first writes"));
  EXPECT_THAT(run_tool({"explain", graph_, "--edge", "1:3"}).out,
              HasSubstr("the program asks for it"));
  const tool_result r = run_tool({"explain", graph_, plan_, "--node", "3"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("command #3 sum"));
  EXPECT_THAT(r.out, HasSubstr("transfer 4: v [8,16)"));
}

TEST_F(asked, refuses_what_makes_no_sense_in_one_line) {
  const temporary_folder elsewhere;  // where there is no graph for it
  const std::string lonely_plan = elsewhere.file("p.json", formats::read_file(plan_));
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"explain"},
           {"explain", "/nonexistent"},
           {"explain", graph_, "--edge", "1"},
           {"explain", graph_, "--edge", "1:\x1b[2J"},
           {"explain", graph_, "--edge", "3:1"},
           {"explain", graph_, "--edge", "1:99"},
           {"explain", graph_, "--transfer", "99"},
           {"explain", graph_, plan_, "--transfer", "0"},
           {"explain", graph_, "--node", "99"},
           {"explain", graph_, "--node", "1", "--edge", "1:2"},
           {"advise"},
           {"advise", lonely_plan},
           {"diff", graph_},
           {"diff", graph_, lonely_plan},
           {"diff", graph_, graph_, "--fail-on", "bytes"},
           {"diff", graph_, graph_, "--fail-on", "octets>3"},
           {"diff", graph_, graph_, "--fail-on", "bytes>+5 %"},
           {"diff", graph_, graph_, "--fail-on", "bytes>nan"},
           {"completion", "tcsh"},
           {"completion"},
           {"completion", "bash", "--json"},
           {"record"},
           {"record", "--"},
           {"record", "-o", folder_.file("r"), "--", "/nonexistent/app"}}) {
    expect_one_line_of_complaint(run_tool(words));
  }
  ::rmdir(folder_.file("r").c_str());
}

TEST_F(asked, advises_what_gains_and_nothing_else) {
  const json j = json::parse(run_tool({"advise", graph_, "--json"}).out);
  EXPECT_EQ(j["format"], "pianola.advice/1");
  ASSERT_FALSE(j["advice"].empty());
  double last = 1e9;
  for (const json& a : j["advice"]) {
    const double saved = a["before"]["seconds"].get<double>() - a["after"]["seconds"].get<double>();
    EXPECT_LE(saved, last + 1e-9);
    last = saved;
    EXPECT_TRUE(saved > 0 || a["after"]["bytes"] < a["before"]["bytes"] ||
                a["after"]["transfers"] < a["before"]["transfers"] ||
                a["after"]["edges"] < a["before"]["edges"])
        << a;
  }
  EXPECT_THAT(run_tool({"advise", graph_}).out, HasSubstr("1. "));
}

// A run that has replayed one of two graphs three times.
TEST_F(asked, advises_on_everything_that_was_recorded_by_how_often_it_ran) {
  const std::string folder = folder_.file("several");
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  recorder::command_graph run;
  model::command replay;
  replay.payload = model::subgraph_command{nullptr, 4};
  replay.device = model::device_id(0);
  replay.label = "graph-1";
  for (int i = 0; i < 3; ++i) run.append(replay);
  const std::string halo = recorder::to_json(halo_graph(), two_devices());
  formats::write_file(folder + "/eager.graph.json", recorder::to_json(run, two_devices()));
  for (const char* name : {"/graph-0.graph.json", "/graph-1.graph.json"})
    formats::write_file(folder + name, halo);
  const json all = json::parse(run_tool({"advise", folder, "--json"}).out);
  ASSERT_EQ(all.size(), 3U);
  // What was replayed more often comes first; the run itself has nothing to gain.
  EXPECT_EQ(all[0]["recording"], "graph-1");
  EXPECT_EQ(all[0]["runs"], 3);
  EXPECT_EQ(all[1]["recording"], "graph-0");
  EXPECT_EQ(all[1]["runs"], 1);
  EXPECT_EQ(all[2]["recording"], "eager");
  EXPECT_EQ(all[0]["advice"], json::parse(run_tool({"advise", graph_, "--json"}).out)["advice"]);
  const tool_result text = run_tool({"advise", folder});
  EXPECT_THAT(text.out, HasSubstr("graph-1, replayed 3 times:\nnow: "));
  EXPECT_THAT(text.out, HasSubstr(", in 3 replays -"));
  EXPECT_THAT(text.out, HasSubstr("\ngraph-0:\nnow: "));
  for (const char* file : {"/eager", "/graph-0", "/graph-1"})
    ::unlink((folder + file + ".graph.json").c_str());
  ::rmdir(folder.c_str());
}

// The halo graph with a command more, one renamed, and more of u needed by the other device.
recorder::command_graph changed_graph() {
  using model::access_mode;
  recorder::command_graph graph;
  const model::buffer_info info{model::page_grid({{1, 1, 16}}, {{1, 1, 4}}), 4, 1};
  graph.add_buffer(info, 1, "u");
  graph.add_buffer(info, 2, "v");
  add_kernel(graph, "begin", 16, 0, {need(0, access_mode::write, linear(0, 16), true)});
  add_kernel(graph, "extra\x1b[2J", 3, 0, {need(0, access_mode::read, linear(0, 3))});
  add_kernel(
      graph, "blur left", 8, 0,
      {need(0, access_mode::read, linear(0, 10)), need(1, access_mode::write, linear(0, 8), true)});
  add_kernel(graph, "blur right", 8, 1,
             {need(0, access_mode::read, linear(2, 16)),
              need(1, access_mode::write, linear(8, 16), true)});
  add_kernel(graph, "sum", 1, 0, {need(1, access_mode::read, linear(0, 16))}, {2});
  return graph;
}

TEST_F(asked, tells_what_is_different) {
  const std::string other =
      folder_.file("o.json", recorder::to_json(changed_graph(), two_devices()));
  const tool_result r = run_tool({"diff", graph_, other});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("bytes      80 B -> 96 B (+20 %)\n"));
  EXPECT_THAT(r.out, HasSubstr("inserted: 1\n  + #1 extra"));
  EXPECT_THAT(r.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(r.out, Not(HasSubstr("deleted")));
  EXPECT_THAT(r.out, HasSubstr("#0 start -> #0: now begin\n"));
  EXPECT_THAT(r.out, HasSubstr("#2 blur right -> #3: read u [6,16)"));
  const json j = json::parse(run_tool({"diff", graph_, other, "--json"}).out);
  EXPECT_EQ(j["format"], "pianola.difference/1");
  EXPECT_EQ(j["inserted"].size(), 1U);
  EXPECT_EQ(j["matches"].size(), 2U);
  EXPECT_THAT(run_tool({"diff", graph_, graph_}).out, HasSubstr("the same commands\n"));
}

TEST_F(asked, compares_no_plan_that_is_not_right) {
  planner::plan p = halo_plan();
  std::get<planner::transfer_step>(p.steps[2].action).elements = linear(8, 16);
  const std::string bad = folder_.file("bad.json", planner::to_json(p, halo_graph()));
  const tool_result r = run_tool({"diff", graph_, graph_, "--plan-b", bad});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("bad.json: the plan is not right: step 3: "));
  EXPECT_EQ(run_tool({"diff", graph_, graph_, "--plan-b", plan_}).exit_code, 0);
}

TEST_F(asked, fails_on_more_bytes_than_wanted) {
  const std::string other =
      folder_.file("o.json", recorder::to_json(changed_graph(), two_devices()));
  const auto code = [&](const char* condition) {
    return run_tool({"diff", "--fail-on", condition, graph_, other}).exit_code;
  };
  EXPECT_EQ(code("bytes>+5%"), 1);
  EXPECT_EQ(code("bytes>+20%"), 0);
  EXPECT_EQ(code("bytes>+15"), 1);
  EXPECT_EQ(code("bytes>+16"), 0);
  EXPECT_EQ(code("bytes>95"), 1);
  EXPECT_EQ(code("bytes>96"), 0);
  EXPECT_EQ(code("commands>+0"), 1);
  EXPECT_EQ(code("transfers>+0"), 0);
  const tool_result r = run_tool({"diff", graph_, other, "--fail-on", "bytes>+5%"});
  EXPECT_EQ(r.err, "pianola: bytes>+5%: 80 -> 96\n");
  EXPECT_EQ(code("measured>+5%"), 2) << "nothing was measured";
}

TEST_F(asked, gives_programs_json) {
  const json shown = json::parse(run_tool({"show", graph_, plan_, "--json"}).out);
  EXPECT_EQ(shown["commands"], 4);
  EXPECT_EQ(shown["moved"][0]["bytes"], 48);
  EXPECT_EQ(json::parse(run_tool({"verify", graph_, plan_, "--json"}).out)["valid"], true);
  EXPECT_TRUE(json::parse(run_tool({"devices", "--json"}).out)["devices"].is_array());
  const json trace = json::parse(run_tool({"simulate", graph_, plan_, "--trace"}).out);
  std::size_t steps = 0, starts = 0, ends = 0;
  for (const json& e : trace["traceEvents"]) {
    if (e["ph"] == "X") ++steps;
    if (e["ph"] == "s") ++starts;
    if (e["ph"] == "f") ++ends;
  }
  EXPECT_EQ(steps, 6U);
  EXPECT_EQ(starts, 2U);
  EXPECT_EQ(ends, 2U);
}

TEST_F(asked, draws_pixels) {
  const tool_result r = run_tool({"show", graph_, "--png"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out.substr(1, 3), "PNG");
}

// Names from files are text in pictures, whatever they look like.
TEST_F(asked, draws_names_as_text) {
  recorder::command_graph graph;
  const model::buffer_info info{model::page_grid({{1, 1, 16}}, {{1, 1, 4}}), 4, 1};
  graph.add_buffer(info, 1, "</text><script>u()</script>");
  graph.add_buffer(info, 2, "\"v\" 'v' &lt;&#60; ]]> <!--");
  add_kernel(graph, "<img src=x onerror=\"a()\">", 16, 0,
             {need(0, model::access_mode::write, linear(0, 16), true)});
  add_kernel(graph, "a & b \\N \\G < c", 16, 0, {need(0, model::access_mode::read, linear(0, 16))});
  add_kernel(graph, "\x1b[2J\x01 bell\x07 \r\n two", 16, 1,
             {need(0, model::access_mode::read, linear(0, 16)),
              need(1, model::access_mode::write, linear(0, 16), true)});
  add_kernel(graph, "not \xff\xfe UTF-8 \xc3", 16, 0,
             {need(1, model::access_mode::read, linear(0, 16))});
  // DOT's own syntax.
  add_kernel(graph, "x\"]; evil [label=\"y", 16, 0, {});
  const std::string file = folder_.file("hostile.json", recorder::to_json(graph, two_devices()));
  const std::string plan = folder_.file("hostile.plan.json", run_tool({"plan", file}).out);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"show", file, "--svg"}, {"show", file, plan, "--svg"}}) {
    const tool_result r = run_tool(words);
    ASSERT_EQ(r.exit_code, 0) << r.err;
    EXPECT_EQ(r.out.find("<script"), std::string::npos);
    EXPECT_EQ(r.out.find("<img"), std::string::npos);
    EXPECT_EQ(r.out.find("evil</title>"), std::string::npos) << "a node of its own";
    EXPECT_THAT(r.out, HasSubstr("a &amp; b \\N"));
    EXPECT_THAT(r.out, HasSubstr("&lt;img src=x"));
    for (const char c : r.out)
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') << int{c};
    // A reader of XML takes it, with all that is in it.
    const std::string svg = folder_.file("hostile.svg", r.out);
    const std::string parse =
        "/usr/bin/python3 -c 'import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); "
        "assert not d.getElementsByTagName(\"script\"); assert d.getElementsByTagName(\"text\")' "
        "'" +
        svg + "'";
    EXPECT_EQ(std::system(parse.c_str()), 0);
  }
}

// It is JSON with the option, too.
TEST_F(asked, gives_programs_plans_and_machines) {
  const tool_result with = run_tool({"plan", graph_, "--json"});
  ASSERT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(json::parse(with.out)["format"], "pianola.plan/1");
  EXPECT_EQ(with.out, run_tool({"plan", graph_}).out);
  const std::string made = folder_.file("made.plan.json", with.out);
  EXPECT_EQ(json::parse(run_tool({"verify", graph_, made, "--json"}).out)["valid"], true);
}

TEST_F(asked, tells_programs_what_the_command_line_takes) {
  const tool_result r = run_tool({"completion", "--json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const json all = json::parse(r.out);
  EXPECT_EQ(all["format"], "pianola.command_line/1");
  bool found = false;
  for (const json& s : all["subcommands"]) {
    EXPECT_NE(s["description"], "");
    if (s["name"] == "completion") EXPECT_EQ(s["takes"][1]["value"], "bash|zsh|fish|man");
    if (s["name"] != "plan") continue;
    for (const json& o : s["takes"]) {
      if (o["names"] == json({"graph"})) EXPECT_EQ(o["required"], true);
      if (o["names"] != json({"--objective"})) continue;
      found = true;
      EXPECT_EQ(o["value"], "makespan|bytes|memory");
      EXPECT_EQ(o["required"], false);
      EXPECT_EQ(o["description"], "What is to be small");
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
