// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class command_line : public ::testing::Test {
 protected:
  temporary_folder folder_;
  std::string graph_ = folder_.file("g.json", recorder::to_json(halo_graph(), two_devices()));
  std::string plan_ = folder_.file("p.json", planner::to_json(halo_plan(), halo_graph()));
};

TEST_F(command_line, tells_its_version) {
  const tool_result r = run_tool({"--version"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, StartsWith("pianola "));
}

TEST_F(command_line, explains_itself) {
  const tool_result r = run_tool({"--help"});
  EXPECT_EQ(r.exit_code, 0);
  for (const char* subcommand :
       {"devices", "show", "verify", "plan", "simulate", "calibrate", "explain", "advise", "diff",
        "record", "check", "completion", "view"}) {
    EXPECT_THAT(r.out, HasSubstr(subcommand));
    const tool_result own = run_tool({subcommand, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_THAT(own.out, HasSubstr(std::string("Examples:\n  "))) << subcommand;
    EXPECT_THAT(own.out, HasSubstr("--json")) << subcommand;
  }
}

TEST_F(command_line, says_when_its_help_cannot_be_written) {
  for (const char* const what : {"--help", "show --help", "--version"}) {
    const std::string command = std::string("'") + PIANOLA_TOOL + "' " + what + " > /dev/full 2>&1";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2) << what;
  }
}

TEST_F(command_line, has_a_manual_whose_examples_are_lines) {
  const tool_result r = run_tool({"completion", "man"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const std::size_t status = r.out.find(".SH EXIT STATUS\n"),
                    examples = r.out.find(".SH EXAMPLES\n");
  ASSERT_NE(status, std::string::npos);
  ASSERT_NE(examples, std::string::npos);
  EXPECT_EQ(r.out.substr(status, examples - status).find("pianola record -o"), std::string::npos);
  EXPECT_THAT(r.out.substr(examples), HasSubstr("pianola record \\-o recorded \\-\\- ./app\n"));
}

TEST_F(command_line, guesses_which_subcommand_was_meant) {
  const auto complaint = [](const char* word) {
    const tool_result r = run_tool({word});
    expect_one_line_of_complaint(r);
    return r.err;
  };
  EXPECT_THAT(complaint("shwo"), HasSubstr("did you mean 'show'?"));
  EXPECT_THAT(complaint("expalin"), HasSubstr("did you mean 'explain'?"));
  EXPECT_THAT(complaint("sim"), HasSubstr("did you mean 'simulate'?"));
  EXPECT_THAT(complaint("frobnicate"), ::testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(complaint("sh\x1b[2Jow"), ::testing::Not(HasSubstr("\x1b")));
}

// What a shell makes of a variable that is not set, and a blank for a "=".
TEST_F(command_line, says_what_was_meant) {
  const auto complaint = [](const std::vector<std::string>& words) {
    const tool_result r = run_tool(words);
    expect_one_line_of_complaint(r);
    return r.err;
  };
  EXPECT_THAT(complaint({"show", graph_, "-o", ""}), HasSubstr("takes the name of a file"));
  // A variable that is not set.
  for (const char* const subcommand : {"show", "verify", "simulate", "explain", "advise", "view"})
    EXPECT_THAT(complaint({subcommand, graph_, ""}), HasSubstr("plan: takes the name of a file"));
  for (const char* const subcommand :
       {"show", "verify", "simulate", "explain", "advise", "view", "plan"})
    EXPECT_THAT(complaint({subcommand, graph_, "--topology", ""}),
                HasSubstr("--topology: takes the name of a file"));
  EXPECT_THAT(complaint({"diff", graph_, ""}), HasSubstr("b: takes the name of a file"));
  EXPECT_THAT(complaint({"diff", graph_, graph_, "--plan-b", ""}), HasSubstr("--plan-b: takes"));
  EXPECT_THAT(complaint({"check", ""}), HasSubstr("graph: takes the name of a file"));
  EXPECT_THAT(complaint({"record", "--", ""}), HasSubstr("a program behind --"));
  EXPECT_THAT(complaint({"record", "--tims", "--", "true"}), HasSubstr("not expected: --tims"));
  EXPECT_THAT(complaint({"view", graph_, "--serve", "8080"}), HasSubstr("--serve=8080"));
  EXPECT_THAT(complaint({"record", "true"}), HasSubstr("behind --, as in record -- ./app"));
  EXPECT_THAT(complaint({"explain", graph_, "--node", "4294967296"}),
              HasSubstr("takes the number of a command, and not '4294967296'"));
  EXPECT_THAT(complaint({"plan", plan_}), HasSubstr("is a plan"));
}

// Its graph is in the same folder, by its name or by its hash.
TEST_F(command_line, finds_the_graph_of_a_plan) {
  folder_.file("broken.json", "{");
  folder_.file("another.json", recorder::to_json(recorder::command_graph(), two_devices()));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"show"},
                                                {"verify"},
                                                {"simulate"},
                                                {"explain"},
                                                {"advise"},
                                                {"show", "--trace"}}) {
    std::vector<std::string> alone = words, both = words;
    alone.insert(alone.begin() + 1, plan_);
    both.insert(both.begin() + 1, {graph_, plan_});
    const tool_result r = run_tool(alone);
    EXPECT_EQ(r.exit_code, 0) << words[0] << r.err;
    EXPECT_EQ(r.out, run_tool(both).out) << words[0];
  }
  ASSERT_EQ(std::remove(graph_.c_str()), 0);
  const tool_result none = run_tool({"show", plan_});
  expect_one_line_of_complaint(none);
  EXPECT_THAT(none.err, HasSubstr("not in the same folder"));
}

TEST_F(command_line, rejects_what_it_does_not_know) {
  expect_one_line_of_complaint(run_tool({}));
  const tool_result unknown = run_tool({"shwo", graph_});
  expect_one_line_of_complaint(unknown);
  EXPECT_THAT(unknown.err, HasSubstr("there is no subcommand 'shwo'"));
  expect_one_line_of_complaint(run_tool({"show"}));
  expect_one_line_of_complaint(run_tool({"show", graph_, "--gif"}));
  expect_one_line_of_complaint(run_tool({"show", graph_, "--dot", "--svg"}));
  for (const char* const wrong : {"-1", "abc", "1.5", "99999999999999999999999"}) {
    const tool_result r = run_tool({"show", graph_, "--limit", wrong});
    expect_one_line_of_complaint(r);
    EXPECT_THAT(r.err, HasSubstr("--limit: takes a whole number, and not '" + std::string(wrong) +
                                 "'; see pianola show --help"));
  }
  EXPECT_THAT(run_tool({"explain", graph_, "--transfer", "-1"}).err,
              HasSubstr("--transfer: takes a whole number, and not '-1'"));
  expect_one_line_of_complaint(run_tool({"show", graph_, "--passes", "--dot"}));
  expect_one_line_of_complaint(run_tool({"show", graph_, "--passes", "--svg"}));
  expect_one_line_of_complaint(run_tool({"show", graph_, plan_, "--passes"}));
  expect_one_line_of_complaint(run_tool({"verify", graph_}));
  expect_one_line_of_complaint(run_tool({"verify", graph_, plan_, plan_}));
}

TEST_F(command_line, lists_devices) {
  const tool_result r = run_tool({"devices"}, {"PIANOLA_DEVICES=openmp,simulated:2"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("openmp"));
  EXPECT_THAT(r.out, HasSubstr("simulated"));
  EXPECT_THAT(r.out, HasSubstr("* chosen by default"));
}

TEST_F(command_line, rejects_devices_that_do_not_exist) {
  expect_one_line_of_complaint(run_tool({"devices"}, {"PIANOLA_DEVICES=nonsense"}));
  expect_one_line_of_complaint(run_tool({"devices"}, {"PIANOLA_DEVICES=simulated:x"}));
}

TEST_F(command_line, finds_a_good_plan_valid) {
  const tool_result r = run_tool({"verify", graph_, plan_});
  EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_EQ(r.out, "valid\n");
}

TEST_F(command_line, finds_what_the_planner_makes_valid) {
  const auto check = [this](const recorder::command_graph& graph) {
    planner::plan p = planner::make_plan(graph.commands(), graph.buffers(), two_devices());
    p.graph_hash = graph.structural_hash();
    const std::string text = planner::to_json(p, graph);
    EXPECT_EQ(planner::to_json(planner::read_plan(text, graph, two_devices()), graph), text);
    const std::string graph_path =
        folder_.file("made.graph.json", recorder::to_json(graph, two_devices()));
    const tool_result r = run_tool({"verify", graph_path, folder_.file("made.plan.json", text)});
    EXPECT_EQ(r.out, "valid\n") << r.err << text;
    EXPECT_EQ(run_tool({"show", graph_path, folder_.file("made.plan.json"), "--svg"}).exit_code, 0);
  };
  check(halo_graph());
  check(graph_of_every_kind());
}

TEST_F(command_line, names_the_first_step_of_a_plan_that_is_not_valid) {
  // The right half no longer waits until u has come over.
  planner::plan p = halo_plan();
  std::get<planner::transfer_step>(p.steps[2].action).elements = linear(8, 16);
  const std::string bad = folder_.file("bad.json", planner::to_json(p, halo_graph()));
  const tool_result r = run_tool({"verify", graph_, bad});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, StartsWith("not valid: step 3: "));
  EXPECT_EQ(r.out.find('\n'), r.out.size() - 1);
  EXPECT_EQ(r.err, "");
}

TEST_F(command_line, rejects_the_plan_of_another_graph) {
  const std::string other =
      folder_.file("k.json", recorder::to_json(graph_of_every_kind(), two_devices()));
  for (const char* subcommand : {"show", "verify"}) {
    const tool_result r = run_tool({subcommand, other, plan_});
    expect_one_line_of_complaint(r);
    EXPECT_THAT(r.err, HasSubstr("p.json: /graph_hash: the plan was made for the graph"));
  }
}

TEST_F(command_line, rejects_graph_and_plan_in_the_wrong_order) {
  const tool_result r = run_tool({"verify", plan_, graph_});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("p.json: is a plan; name its graph before it"));
}

TEST_F(command_line, rejects_files_that_cannot_be_read) {
  const tool_result missing = run_tool({"show", "/nonexistent/graph.json"});
  expect_one_line_of_complaint(missing);
  EXPECT_THAT(missing.err, HasSubstr("/nonexistent/graph.json: cannot be opened"));
  const tool_result folder = run_tool({"show", "/"});
  expect_one_line_of_complaint(folder);
  EXPECT_THAT(folder.err, HasSubstr("the folder holds no eager.graph.json"));
  expect_one_line_of_complaint(run_tool({"show", ""}));
  expect_one_line_of_complaint(run_tool({"show", "two\nlines"}));
}

TEST_F(command_line, writes_where_it_is_told_to) {
  const std::string to = folder_.file("out.svg");
  const tool_result r = run_tool({"show", graph_, plan_, "--svg", "-o", to});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(formats::read_file(to), HasSubstr("</svg>"));
}

TEST_F(command_line, says_that_it_cannot_write) {
  const tool_result r = run_tool({"show", graph_, "-o", "/nonexistent/out.txt"});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("/nonexistent/out.txt: cannot be written"));
  expect_one_line_of_complaint(run_tool({"show", graph_, "-o", "/"}));
  const tool_result full = run_tool({"show", graph_}, {}, "/dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("standard output cannot be written: No space left on device"));
}

TEST_F(command_line, says_that_graphviz_is_not_installed) {
  const tool_result r = run_tool({"show", graph_, "--svg"}, {"PATH=/nonexistent"});
  expect_one_line_of_complaint(r);
  EXPECT_THAT(r.err, HasSubstr("install Graphviz"));
}

TEST_F(command_line, reads_from_a_pipe) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    formats::write_file(pipe, formats::read_file(graph_));
    ::_exit(0);
  }
  EXPECT_EQ(run_tool({"show", pipe}).out, run_tool({"show", graph_}).out);
  ::waitpid(writer, nullptr, 0);
}

TEST_F(command_line, shows_no_more_than_asked_for) {
  const tool_result r = run_tool({"show", graph_, "--limit", "2"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, HasSubstr("... and 2 more commands"));
  EXPECT_THAT(run_tool({"show", graph_, "--limit", "2", "--dot"}).out,
              HasSubstr("cut here: 2 of 4 commands are not drawn"));
}

TEST_F(command_line, shows_a_graph_of_a_hundred_thousand_commands_in_part) {
  recorder::command_graph graph;
  graph.add_buffer({model::page_grid(model::extent3{{1, 1, 64}}), 4, 1});
  for (int i = 0; i < 100000; ++i)
    add_kernel(graph, "step", 64, 0, {need(0, model::access_mode::read_write, linear(0, 64))});
  const std::string large = folder_.file("large.json", recorder::to_json(graph, two_devices()));
  EXPECT_THAT(run_tool({"show", large}).out, HasSubstr("... and 99600 more commands"));
  EXPECT_THAT(run_tool({"show", large, "--dot"}).out, HasSubstr("cut here: 99600 of 100000"));
}

TEST_F(command_line, leaves_out_edges_that_nobody_could_follow) {
  // Every writer of one half before every reader of the other half, by edges that were asked for.
  recorder::command_graph graph;
  std::vector<std::uint64_t> first;
  for (std::uint64_t i = 0; i < 200; ++i) {
    add_kernel(graph, "before", 1, 0, {});
    first.push_back(i);
  }
  for (int i = 0; i < 200; ++i) add_kernel(graph, "behind", 1, 0, {}, first);
  const std::string dense = folder_.file("dense.json", recorder::to_json(graph, two_devices()));
  const std::string dot = run_tool({"show", dense, "--dot"}).out;
  std::size_t edges = 0;
  for (std::size_t at = dot.find(" -> "); at != std::string::npos; at = dot.find(" -> ", at + 1))
    ++edges;
  EXPECT_EQ(edges, 2000U);
  EXPECT_THAT(dot, HasSubstr("cut here: 38000 of 40000 edges are not drawn"));
  EXPECT_THAT(dot, HasSubstr("-> c399")) << "no node loses all of its edges";
}

TEST_F(command_line, takes_graphviz_with_it_when_it_is_killed) {
  // A `dot` that says who it is and never ends.
  const std::string dot = folder_.file("dot"), who = folder_.file("who");
  formats::write_file(dot, "#!/bin/sh\necho $$ >" + who + ".part\nmv " + who + ".part " + who +
                               "\nexec sleep 600\n");
  ::chmod(dot.c_str(), 0700);
  const pid_t tool = ::fork();
  if (tool == 0) {
    const std::string path = dot.substr(0, dot.rfind('/')) + ":" + std::getenv("PATH");
    ::setenv("PATH", path.c_str(), 1);
    ::execl(PIANOLA_TOOL, "pianola", "show", graph_.c_str(), "--svg", nullptr);
    ::_exit(127);
  }
  while (::access(who.c_str(), R_OK) != 0) {
    ASSERT_EQ(::waitpid(tool, nullptr, WNOHANG), 0) << "ended early";
    ::usleep(1000);
  }
  const pid_t child = std::stoi(formats::read_file(who));
  ASSERT_EQ(::kill(child, 0), 0);
  ::kill(tool, SIGKILL);
  ::waitpid(tool, nullptr, 0);
  // Gone, or a zombie that nobody in this container asks for.
  const auto alive = [&] {
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::string word;
    for (int i = 0; i < 3; ++i) status >> word;
    return status.good() && word != "Z";
  };
  int looks = 0;
  while (alive() && ++looks < 10000) ::usleep(1000);
  EXPECT_FALSE(alive());
  if (alive()) ::kill(child, SIGKILL);
}

}  // namespace
