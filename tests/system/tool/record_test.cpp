// SPDX-License-Identifier: Apache-2.0
// A program that is recorded, and what becomes of its end.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
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

}  // namespace
