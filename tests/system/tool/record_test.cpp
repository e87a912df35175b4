// SPDX-License-Identifier: Apache-2.0
// A program that is recorded, and what becomes of its end.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_tool.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;

class recorded : public ::testing::Test {
 protected:
  ~recorded() override { std::filesystem::remove_all(folder_); }
  std::string folder_ = ::testing::TempDir() + "pianola-record-" + std::to_string(::getpid());
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
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 5);
  const tool_result cut = run_tool({"verify", journal});
  EXPECT_EQ(cut.out, "valid\n");
  EXPECT_THAT(cut.err, HasSubstr("the last block is cut off"));
  EXPECT_LE(commands_in(journal), commands);
  // Turned into files.
  EXPECT_EQ(run_tool({"record", "--recover", "-o", folder_}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(journal));
  EXPECT_EQ(run_tool({"verify", folder_ + "/eager.graph.json", folder_ + "/eager.plan.json"}).out,
            "valid\n");
  EXPECT_EQ(run_tool({"record", "--recover", "-o", folder_}).exit_code, 2);
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
  for (const auto& [launches, converted] : {std::pair{100, true}, std::pair{5000, false}}) {
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
  EXPECT_LT(with - without, 32 * 1024);
  EXPECT_EQ(run_tool({"verify", folder_}).out, "valid\n");
}

TEST_F(recorded, tells_of_mistakes_with_usm) {
  const auto checked = [&](const std::string& number, const std::vector<std::string>& variables) {
    std::filesystem::remove_all(folder_);
    return run_tool(
        {"record", "-o", folder_, "--", PIANOLA_RECORDED_RUN_PROGRAM, "mistake", number},
        variables);
  };
  const char* const expected[] = {"",     "race",          "race",         "race",
                                  "race", "race",          "freed in use", "never written",
                                  "race", "use after free"};
  for (const char* devices : {"PIANOLA_DEVICES=openmp", "PIANOLA_DEVICES=simulated:2:separate"})
    for (int number = 0; number <= 9; ++number) {
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
