// SPDX-License-Identifier: Apache-2.0
// A program that is recorded, and what becomes of its end.
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;

class recorded : public ::testing::Test {
 protected:
  const temporary_folder temporary_;
  const std::string folder_ = temporary_.file("record");  // not there yet
};

TEST_F(recorded, is_a_program_that_knows_nothing_of_it) {
  const tool_result r =
      run_tool({"record", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "sizes"},
               {"PIANOLA_DEVICES=simulated:2"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("pianola: recorded " + folder_ + "/"));
  EXPECT_THAT(r.err, HasSubstr(".graph.json and "));
  std::size_t graphs = 0;
  for (const auto& e : std::filesystem::directory_iterator(folder_))
    if (e.path().string().ends_with(".graph.json")) {
      ++graphs;
      EXPECT_EQ(run_tool({"advise", e.path()}).exit_code, 0);
      // The processors are there for what the host does; the program was not given them.
      const auto devices = nlohmann::json::parse(std::ifstream(e.path()))["topology"]["devices"];
      ASSERT_EQ(devices.size(), 3U);
      EXPECT_FALSE(devices[0].contains("listed"));
      EXPECT_EQ(devices[2]["listed"], false);
    }
  EXPECT_GT(graphs, 0U);
}

TEST_F(recorded, graphs_with_times_of_nodes_have_them_in_their_files) {
  const tool_result r =
      run_tool({"record", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "profiled"},
               {"PIANOLA_DEVICES=openmp"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  std::string graph;
  for (const auto& e : std::filesystem::directory_iterator(folder_))
    if (const std::string path = e.path();
        path.ends_with(".graph.json") && path.find("graph-0") != std::string::npos)
      graph = path;
  const tool_result shown = run_tool({"show", graph});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const std::size_t times = shown.out.find("measured:\n");
  ASSERT_NE(times, std::string::npos) << shown.out;
  for (const char* const command : {"\n  0: ", "\n  1: ", "\n  2: "})
    EXPECT_NE(shown.out.find(command, times), std::string::npos) << shown.out;
}

TEST_F(recorded, passes_arguments_and_the_exit_code_on) {
  const tool_result r = run_tool({"record", "-o", folder_, "--", "sh", "-c",
                                  "echo \"$1 $PIANOLA_RECORD\"; exit 7", "--", "--help"});
  EXPECT_EQ(r.exit_code, 7);
  EXPECT_EQ(r.out, "--help " + folder_ + "\n");
  EXPECT_THAT(r.err, HasSubstr("nothing was recorded"));
}

TEST_F(recorded, is_told_to_programs_in_one_line) {
  using nlohmann::json;
  const tool_result r =
      run_tool({"record", "--json", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "profiled"},
               {"PIANOLA_DEVICES=openmp"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const std::size_t line = r.err.rfind('\n', r.err.size() - 2) + 1;
  const json told = json::parse(r.err.substr(line));
  EXPECT_EQ(told["format"], "pianola.recording/1");
  EXPECT_EQ(told["folder"], folder_);
  EXPECT_EQ(told["journals"], json::array());
  ASSERT_FALSE(told["graphs"].empty());
  for (const json& g : told["graphs"])
    for (const char* const file : {"graph", "plan"})
      EXPECT_TRUE(std::filesystem::exists(folder_ + "/" + g[file].get<std::string>())) << g;

  const tool_result none = run_tool({"record", "--json", "-o", folder_, "--", "true"});
  EXPECT_EQ(none.exit_code, 0);
  const std::size_t last = none.err.rfind('\n', none.err.size() - 2) + 1;
  EXPECT_EQ(json::parse(none.err.substr(last))["graphs"], json::array());
}

TEST_F(recorded, ends_by_the_signal_that_ended_the_program) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(PIANOLA_TOOL, "pianola", "record", "-o", folder_.c_str(), "--", "sh", "-c",
            "kill -9 $$", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(recorded, gets_the_signals_that_are_meant_for_it) {
  std::filesystem::create_directories(folder_);
  const std::string ready = folder_ + "/ready";
  const std::string script =
      "trap 'exit 5' TERM; touch " + ready + "; while :; do sleep 0.01; done";
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(PIANOLA_TOOL, "pianola", "record", "-o", folder_.c_str(), "--", "sh", "-c",
            script.c_str(), nullptr);
    ::_exit(127);
  }
  while (::access(ready.c_str(), R_OK) != 0) {
    ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "ended early";
    ::usleep(1000);
  }
  ASSERT_EQ(::kill(child, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

std::size_t commands_in(const std::string& graph) {
  const tool_result r = run_tool({"show", graph, "--json"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const std::size_t at = r.out.find("\"commands\": ");
  return at == std::string::npos ? 0 : std::stoul(r.out.substr(at + 12));
}

TEST_F(recorded, is_there_up_to_the_last_second_when_the_program_is_killed) {
  std::filesystem::create_directories(folder_);
  std::array<int, 2> out{};
  ASSERT_EQ(::pipe(out.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::setenv("PIANOLA_RECORD", folder_.c_str(), 1);
    ::setenv("PIANOLA_DEVICES", "openmp", 1);
    ::execl(PIANOLA_RECORDED_RUN_PROGRAM, "recorded_run", "endless", nullptr);
    ::_exit(127);
  }
  ::close(out[1]);
  char line[16];
  ASSERT_GT(::read(out[0], line, sizeof line), 0) << "ended early";
  ::usleep(1000000);
  EXPECT_EQ(run_tool({"record", "--recover", "-o", folder_}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/eager.journal")) << "the program still needs it";
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::close(out[0]);
  // As it is, and cut off in the middle of a block.
  const std::string journal = folder_ + "/eager.journal";
  const std::size_t commands = commands_in(journal);
  EXPECT_GE(commands, 2048U);
  EXPECT_EQ(commands_in(folder_), commands);
  EXPECT_EQ(run_tool({"verify", journal}).out, "valid\n");
  EXPECT_EQ(run_tool({"diff", journal, folder_}).exit_code, 0);
  EXPECT_EQ(run_tool({"explain", journal, "--node", "1"}).exit_code, 0);
  for (const std::string& run : {journal, folder_}) {
    const tool_result simulated = run_tool({"simulate", run});
    EXPECT_EQ(simulated.exit_code, 0) << simulated.err;
    EXPECT_THAT(simulated.out, HasSubstr("makespan"));
  }
  // Damaged in the last block.
  const std::string damaged = folder_ + "/damaged.eager.journal";
  std::filesystem::copy(journal, damaged);
  {
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(std::filesystem::file_size(damaged) - 10);
    file.seekg(at);
    const int was = file.get();
    file.seekp(at);
    file.put(static_cast<char>(was ^ 1));
  }
  const tool_result refused = run_tool({"check", damaged});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr(damaged + ": is damaged at byte "));
  EXPECT_THAT(refused.err, HasSubstr("pianola record --recover"));
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 5);
  const tool_result cut = run_tool({"verify", journal});
  EXPECT_EQ(cut.out, "valid\n");
  EXPECT_THAT(cut.err, HasSubstr("the last block is cut off"));
  EXPECT_LE(commands_in(journal), commands);
  // Beside what a run before has left.
  const std::string former = folder_ + "/eager.graph.json";
  formats::write_file(former, "{}");
  std::filesystem::last_write_time(
      former, std::filesystem::last_write_time(journal) - std::chrono::hours(1));
  EXPECT_EQ(commands_in(folder_), commands_in(journal));
  EXPECT_EQ(run_tool({"diff", folder_, journal}).exit_code, 0);
  std::filesystem::remove(former);
  // Turned into files.
  const tool_result recovered = run_tool({"record", "--recover", "-o", folder_});
  EXPECT_EQ(recovered.exit_code, 0);
  EXPECT_THAT(recovered.err, HasSubstr("commands before; the journal stays"));
  EXPECT_TRUE(std::filesystem::exists(damaged));
  EXPECT_EQ(run_tool({"verify", folder_ + "/damaged.eager.graph.json",
                      folder_ + "/damaged.eager.plan.json"})
                .out,
            "valid\n");
  std::filesystem::remove(damaged);
  EXPECT_FALSE(std::filesystem::exists(journal));
  EXPECT_EQ(run_tool({"verify", folder_ + "/eager.graph.json", folder_ + "/eager.plan.json"}).out,
            "valid\n");
  EXPECT_EQ(run_tool({"record", "--recover", "-o", folder_}).exit_code, 2);
}

// Text takes far longer to write than the commands took.
TEST_F(recorded, stays_a_journal_that_has_the_names_of_its_files) {
  constexpr std::size_t commands = 3000;
  const tool_result r = run_tool({"record", "--json", "-o", folder_, "--",
                                  PIANOLA_RECORDED_RUN_PROGRAM, "loop", std::to_string(commands)},
                                 {"PIANOLA_DEVICES=openmp"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const nlohmann::json told = nlohmann::json::parse(r.err.substr(r.err.find('{')));
  EXPECT_EQ(told["graphs"], nlohmann::json::array());
  EXPECT_EQ(told["journals"], nlohmann::json({"eager.journal"}));
  EXPECT_THAT(r.err, HasSubstr("pianola: recorded " + folder_ +
                               "/eager.journal, which subcommands take for a graph with its plan; "
                               "record --recover makes files of text of it\n"));
  const std::string graph = folder_ + "/eager.graph.json", plan = folder_ + "/eager.plan.json";
  EXPECT_FALSE(std::filesystem::exists(graph));
  EXPECT_GE(commands_in(graph), commands);
  EXPECT_EQ(commands_in(plan), commands_in(graph));
  EXPECT_EQ(run_tool({"verify", graph, plan}).out, "valid\n");
  EXPECT_EQ(run_tool({"verify", plan}).out, "valid\n");
  const std::string simulated = run_tool({"simulate", folder_}).out;
  EXPECT_THAT(simulated, HasSubstr("makespan"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"simulate", graph, plan}, {"simulate", graph}, {"simulate", plan}})
    EXPECT_EQ(run_tool(words).out, simulated) << words.back();
  EXPECT_EQ(run_tool({"diff", graph, folder_, "--plan-a", plan}).exit_code, 0);
  EXPECT_EQ(run_tool({"explain", graph, plan, "--node", "7"}).exit_code, 0);
  EXPECT_EQ(run_tool({"check", graph}).exit_code, 0);
  // Of another graph it is no plan.
  EXPECT_EQ(run_tool({"record", "--recover", "-o", folder_}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/eager.journal"));
  EXPECT_EQ(run_tool({"verify", graph, plan}).out, "valid\n");
  EXPECT_EQ(run_tool({"simulate", graph, plan}).out, simulated);
  const std::string other = temporary_.file("other");
  ASSERT_EQ(run_tool({"record", "-o", other, "--", PIANOLA_RECORDED_RUN_PROGRAM, "loop", "2000"},
                     {"PIANOLA_DEVICES=openmp"})
                .exit_code,
            0);
  const tool_result wrong = run_tool({"verify", graph, other + "/eager.plan.json"});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.out;
  EXPECT_THAT(wrong.err, HasSubstr("eager.journal: /graph_hash: the plan was made for the graph"));
}

TEST_F(recorded, is_of_one_recorder_at_a_time) {
  const std::string ready = temporary_.file("ready"), go = temporary_.file("go");
  const std::string script =
      "touch '" + ready + "'; while [ ! -e '" + go + "' ]; do sleep 0.01; done";
  const pid_t first = ::fork();
  if (first == 0) {
    ::execl(PIANOLA_TOOL, "pianola", "record", "-o", folder_.c_str(), "--", "sh", "-c",
            script.c_str(), nullptr);
    ::_exit(127);
  }
  while (::access(ready.c_str(), R_OK) != 0) {
    ASSERT_EQ(::waitpid(first, nullptr, WNOHANG), 0) << "ended early";
    ::usleep(1000);
  }
  const tool_result second = run_tool({"record", "-o", folder_, "--", "true"});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_EQ(second.err, "pianola: " + folder_ +
                            ": a program records into this folder now; name another one with -o\n");
  formats::write_file(go, "");
  int status = 0;
  ASSERT_EQ(::waitpid(first, &status, 0), first);
  EXPECT_EQ(status, 0);
  // What one that was killed has left is in nobody's way.
  std::filesystem::create_directories(folder_);
  formats::write_file(folder_ + "/.recording", "");
  EXPECT_EQ(run_tool({"record", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "mistake", "0"},
                     {"PIANOLA_DEVICES=openmp"})
                .exit_code,
            0);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/eager.graph.json"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/.recording"));
}

TEST_F(recorded, has_no_folder_if_it_is_nothing) {
  const std::string inner = folder_ + "/in/ner";
  EXPECT_EQ(run_tool({"record", "-o", inner, "--", "true"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_));
  EXPECT_EQ(run_tool({"record", "-o", inner + "/", "--", folder_ + "/no-such-program"}).exit_code,
            2);
  EXPECT_FALSE(std::filesystem::exists(folder_));
  // One that is somebody's stays, and so does what the program writes itself.
  std::filesystem::create_directories(folder_);
  EXPECT_EQ(run_tool({"record", "-o", inner, "--", "true"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_EQ(run_tool({"record", "-o", inner, "--", "touch", inner + "/mine"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(inner + "/mine"));
}

TEST_F(recorded, is_one_run_only) {
  const auto record = [&](const std::vector<std::string>& program) {
    std::vector<std::string> words{"record", "-o", folder_, "--"};
    words.insert(words.end(), program.begin(), program.end());
    return run_tool(words, {"PIANOLA_DEVICES=openmp"});
  };
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& e : std::filesystem::directory_iterator(folder_))
      names.push_back(e.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  };
  EXPECT_EQ(record({PIANOLA_RECORDED_RUN_PROGRAM, "profiled"}).exit_code, 0);
  formats::write_file(folder_ + "/notes.txt", "mine");
  formats::write_file(folder_ + "/eager-of-mine.graph.json", "mine");
  const std::vector<std::string> first = files();
  EXPECT_NE(std::find(first.begin(), first.end(), "graph-0.graph.json"), first.end());
  // Nothing is lost where nothing runs.
  EXPECT_EQ(record({folder_ + "/no-such-program"}).exit_code, 2);
  EXPECT_EQ(files(), first);
  const tool_result second = record({PIANOLA_RECORDED_RUN_PROGRAM, "mistake", "0"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.err, HasSubstr("the recording that was in " + folder_ + " is replaced"));
  EXPECT_EQ(files(),
            (std::vector<std::string>{"eager-of-mine.graph.json", "eager.dot", "eager.graph.json",
                                      "eager.plan.json", "notes.txt"}));
}

TEST_F(recorded, of_several_processes_of_one_run_loses_none) {
  const std::string program = std::string("'") + PIANOLA_RECORDED_RUN_PROGRAM + "'";
  const tool_result r =
      run_tool({"record", "-o", folder_, "--", "sh", "-c",
                program + " loop 100 && " + program + " mistake 0 && " + program + " profiled"},
               {"PIANOLA_DEVICES=openmp"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  std::vector<std::size_t> commands;
  for (const auto& e : std::filesystem::directory_iterator(folder_)) {
    const std::string name = e.path().filename();
    EXPECT_FALSE(e.is_directory()) << name;
    if (!name.ends_with("eager.graph.json")) continue;
    EXPECT_THAT(r.err, HasSubstr("recorded " + folder_ + "/" + name));
    commands.push_back(nlohmann::json::parse(std::ifstream(e.path()))["commands"].size());
  }
  EXPECT_EQ(commands.size(), 3U);
  EXPECT_NE(std::find_if(commands.begin(), commands.end(), [](std::size_t n) { return n >= 100; }),
            commands.end());
  EXPECT_EQ(r.err.find("replaced"), std::string::npos) << r.err;
  EXPECT_EQ(run_tool({"check", folder_}).exit_code, 0);

  // The next run replaces all of it, with what is left of runs that nobody has seen to.
  for (const char* const name : {"/77-0123abcd-eager.graph.json", "/77-0123abcd-eager.journal"})
    formats::write_file(folder_ + name, "of another run");
  std::filesystem::create_directories(folder_ + "/before-3");
  formats::write_file(folder_ + "/before-3/eager.journal", "of another run");
  const tool_result again = run_tool(
      {"record", "--json", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "mistake", "0"},
      {"PIANOLA_DEVICES=openmp"});
  EXPECT_THAT(again.err, HasSubstr("the recording that was in " + folder_ + " is replaced\n"));
  EXPECT_EQ(nlohmann::json::parse(again.err.substr(again.err.find('{')))["graphs"].size(), 1U);
  std::size_t files = 0;
  for (const auto& e : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(e.path().filename().string().rfind("eager.", 0), 0U) << e.path();
    ++files;
  }
  EXPECT_EQ(files, 3U);
}

TEST_F(recorded, stays_where_the_next_program_records_nothing) {
  ASSERT_EQ(run_tool({"record", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "mistake", "0"},
                     {"PIANOLA_DEVICES=openmp"})
                .exit_code,
            0);
  const tool_result nothing = run_tool({"record", "-o", folder_, "--", "sh", "-c", "exit 3"});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_EQ(nothing.err.find("replaced"), std::string::npos) << nothing.err;
  EXPECT_EQ(std::count(nothing.err.begin(), nothing.err.end(), '\n'), 1) << nothing.err;
  EXPECT_THAT(nothing.err, HasSubstr("ended with exit code 3"));
  EXPECT_THAT(nothing.err, HasSubstr("the recording that was there stays"));
  const tool_result crash = run_tool({"record", "-o", folder_, "--", "sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(crash.exit_code, -1);
  EXPECT_THAT(crash.err, HasSubstr("nothing was recorded in " + folder_ +
                                   ": the program ended by signal 11 (Segmentation fault) before "
                                   "anything was written"));
  EXPECT_THAT(crash.err, HasSubstr("the recording that was there stays"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/eager.graph.json"));
}

TEST_F(recorded, comes_back_after_a_recorder_that_was_killed) {
  const ::pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const std::string aside = folder_ + "/.before-" + std::to_string(dead);
  const std::string alive = folder_ + "/.before-" + std::to_string(::getpid());
  for (const std::string& of : {aside, alive}) {
    std::filesystem::create_directories(of);
    std::ofstream(of + "/eager.graph.json") << "{}";
  }
  EXPECT_EQ(run_tool({"record", "-o", folder_, "--", "true"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/eager.graph.json"));
  EXPECT_FALSE(std::filesystem::exists(aside));
  EXPECT_TRUE(std::filesystem::exists(alive + "/eager.graph.json"));
}

TEST_F(recorded, says_what_is_there_of_a_program_that_crashed) {
  // A graph that was finalized, and what ran outside of graphs just before.
  const tool_result r =
      run_tool({"record", "--json", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "crash"},
               {"PIANOLA_DEVICES=openmp"});
  EXPECT_EQ(r.exit_code, -1);
  EXPECT_EQ(nlohmann::json::parse(r.err.substr(r.err.find('{')))["signal"], SIGSEGV) << r.err;
  const tool_result told =
      run_tool({"record", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "crash"},
               {"PIANOLA_DEVICES=openmp"});
  EXPECT_THAT(told.err, HasSubstr("recorded " + folder_ + "/graph-0.graph.json"));
  EXPECT_THAT(told.err, HasSubstr("the program ended by signal 11 (Segmentation fault); what it "
                                  "submitted in the last fifth of a second may be missing\n"));
}

TEST_F(recorded, is_not_taken_away_from_who_writes_it) {
  std::filesystem::create_directories(folder_);
  formats::write_file(folder_ + "/eager.journal", "somebody's");
  const int held = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  const tool_result r = run_tool({"record", "-o", folder_, "--", "true"});
  ::close(held);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.err, "pianola: " + folder_ +
                       ": a program records into this folder now; name another one with -o\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/eager.journal"));
}

TEST_F(recorded, that_is_no_journal_after_all_is_refused) {
  std::filesystem::create_directories(folder_);
  const auto check = [&](const std::string& contents) {
    const std::string file = folder_ + "/eager.journal";
    formats::write_file(file, contents);
    const tool_result r = run_tool({"check", file});
    EXPECT_EQ(r.exit_code, 2) << r.out;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    return r.err;
  };
  EXPECT_THAT(check("pianola.journal/2\ngarbage, and more garbage"),
              HasSubstr("damaged at byte 18, before any command"));
  EXPECT_THAT(check("pianola.journal/1\n"), HasSubstr("a journal of another version"));
}

TEST_F(recorded, stays_right_where_the_disk_is_full) {
  std::filesystem::create_directories(folder_);
  const std::string command = "cd '" + folder_ +
                              "' && ulimit -f 200 && PIANOLA_DEVICES=openmp PIANOLA_RECORD=. '" +
                              PIANOLA_RECORDED_RUN_PROGRAM + "' loop 30000 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string told(1000, '\0');
  told.resize(std::fread(told.data(), 1, told.size(), pipe));
  EXPECT_EQ(::pclose(pipe), 0) << "the program goes on: " << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_THAT(told, HasSubstr("eager.journal cannot be written: File too large"));
  EXPECT_EQ(run_tool({"verify", folder_ + "/eager.journal"}).out, "valid\n");
  EXPECT_GT(commands_in(folder_), 1000U);
}

TEST_F(recorded, is_no_larger_for_replays_of_graphs_over_many_buffers) {
  for (const auto& [launches, converted] : {std::pair{5, true}, std::pair{5000, false}}) {
    std::filesystem::remove_all(folder_);
    const std::string command = "PIANOLA_DEVICES=openmp PIANOLA_RECORD='" + folder_ + "' '" +
                                PIANOLA_RECORDED_RUN_PROGRAM + "' wide " + std::to_string(launches);
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string journal = folder_ + "/eager.journal";
    ASSERT_EQ(std::filesystem::exists(journal), !converted) << launches;
    EXPECT_EQ(std::filesystem::exists(folder_ + "/eager.graph.json"), converted) << launches;
    EXPECT_GE(commands_in(folder_), static_cast<std::size_t>(launches));
    if (converted) continue;
    EXPECT_LT(std::filesystem::file_size(journal), 200'000U);
  }
}

TEST_F(recorded, takes_little_memory_of_a_long_run) {
  // KiB at most.
  const auto memory_of = [&](const char* folder) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("PIANOLA_DEVICES", "openmp", 1);
      ::setenv("PIANOLA_RECORD", folder, 1);
      ::execl(PIANOLA_RECORDED_RUN_PROGRAM, "recorded_run", "loop", "200000", nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::rusage used{};
    EXPECT_EQ(::wait4(child, &status, 0, &used), child);
    EXPECT_EQ(status, 0);
    return used.ru_maxrss;
  };
  const long without = memory_of(""), with = memory_of(folder_.c_str());
  // Of a million 64 MiB.
  EXPECT_LT(with - without, 64 * 1024 / 5);
  EXPECT_EQ(run_tool({"verify", folder_}).out, "valid\n");
}

// Devices have threads by then.
TEST_F(recorded, a_wrong_environment_ends_the_program_and_hangs_nobody) {
  for (const char* devices : {"simulated:2:separate", "simulated:2", "openmp"})
    for (int turn = 0; turn < 4; ++turn) {
      const std::string command = std::string("PIANOLA_CHECK=2 PIANOLA_DEVICES=") + devices +
                                  " timeout 60 '" + PIANOLA_RECORDED_RUN_PROGRAM +
                                  "' mistake 0 2>&1";
      FILE* const pipe = ::popen(command.c_str(), "r");
      ASSERT_NE(pipe, nullptr);
      std::string told(2000, '\0');
      told.resize(std::fread(told.data(), 1, told.size(), pipe));
      const int status = ::pclose(pipe);
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_NE(WEXITSTATUS(status), 124) << devices;
      EXPECT_NE(WEXITSTATUS(status), 0) << devices;
      EXPECT_THAT(told, HasSubstr("PIANOLA_CHECK='2'"));
    }
}

TEST_F(recorded, tells_of_mistakes_with_usm) {
  const auto checked = [&](const std::string& number, const std::vector<std::string>& variables) {
    std::filesystem::remove_all(folder_);
    return run_tool(
        {"record", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "mistake", number},
        variables);
  };
  const char* const expected[] = {"",
                                  "race",
                                  "race",
                                  "race",
                                  "race",
                                  "race",
                                  "freed in use",
                                  "never written",
                                  "race",
                                  "use after free",
                                  "use after free",
                                  "never written",
                                  "out of bounds"};
  for (const char* devices : {"PIANOLA_DEVICES=openmp", "PIANOLA_DEVICES=simulated:2:separate"})
    for (int number = 0; number <= 12; ++number) {
      SCOPED_TRACE(std::string(devices) + ", mistake " + std::to_string(number));
      const tool_result r = checked(std::to_string(number), {devices, "PIANOLA_CHECK=1"});
      EXPECT_EQ(r.exit_code, 0) << r.err;
      const tool_result offline = run_tool({"check", folder_});
      EXPECT_EQ(offline.exit_code, number == 0 ? 0 : 1) << offline.err;
      if (number == 0) {
        EXPECT_EQ(r.err.find("PIANOLA_CHECK"), std::string::npos) << r.err;
        EXPECT_EQ(offline.out, "nothing found\n");
      } else {
        EXPECT_THAT(r.err, HasSubstr("PIANOLA_CHECK: 1 found in the run\n" + offline.out));
        EXPECT_EQ(offline.out.rfind(expected[number], 0), 0U) << offline.out;
        EXPECT_THAT(run_tool({"check", folder_, "--json"}).out, HasSubstr("\"certain\": true"));
      }
    }
  // Without files.
  const std::string command = std::string("PIANOLA_CHECK=1 PIANOLA_DEVICES=openmp '") +
                              PIANOLA_RECORDED_RUN_PROGRAM + "' mistake 1 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string told(2000, '\0');
  told.resize(std::fread(told.data(), 1, told.size(), pipe));
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_THAT(told, HasSubstr("race for bytes 0 to 4096 of allocation 0 (device, 4 KiB)"));
}

}  // namespace
