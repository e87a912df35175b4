// SPDX-License-Identifier: Apache-2.0
#include <pianola/recorder/run_folder.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include <pianola/test/temporary_folder.hpp>

namespace pianola::recorder {
namespace {

namespace fs = std::filesystem;

struct run_folder : ::testing::Test {
  void write(const char* name, int second) {
    fs::last_write_time(folder.file(name, "x"), fs::file_time_type(std::chrono::seconds(second)));
  }
  [[nodiscard]] run_source latest(const char* file) const {
    return latest_run(folder.path(), file);
  }

  pianola::testing::temporary_folder folder;
};

TEST_F(run_folder, without_files_has_no_run) {
  EXPECT_EQ(latest(run_graph), run_source::nowhere);
  EXPECT_EQ(latest_run(folder.file("none"), run_graph), run_source::nowhere);
}

TEST_F(run_folder, has_the_run_in_the_files_that_a_journal_has_become) {
  write(run_graph, 5);
  EXPECT_EQ(latest(run_graph), run_source::file);
  EXPECT_EQ(latest(run_plan), run_source::nowhere);
  write(run_journal, 4);
  write(run_plan, 5);
  EXPECT_EQ(latest(run_graph), run_source::file);
  EXPECT_EQ(latest(run_plan), run_source::file);
}

TEST_F(run_folder, has_it_in_the_journal_while_there_are_no_files_or_older_ones) {
  write(run_journal, 6);
  EXPECT_EQ(latest(run_graph), run_source::journal);
  write(run_graph, 5);
  EXPECT_EQ(latest(run_graph), run_source::journal);
  EXPECT_EQ(latest(run_plan), run_source::journal);
  write(run_graph, 6);
  EXPECT_EQ(latest(run_graph), run_source::file);
}

TEST_F(run_folder, has_names_of_files_for_what_is_still_a_journal) {
  const std::string graph = folder.path() + "/7-a-eager.graph.json",
                    plan = folder.path() + "/7-a-eager.plan.json",
                    journal = folder.path() + "/7-a-eager.journal";
  EXPECT_EQ(file_or_journal(graph), graph);
  write("7-a-eager.journal", 1);
  EXPECT_EQ(file_or_journal(graph), journal);
  EXPECT_EQ(file_or_journal(plan), journal);
  EXPECT_EQ(file_or_journal(folder.path() + "/7-a-eager.json"), folder.path() + "/7-a-eager.json");
  EXPECT_EQ(file_or_journal(folder.path()), folder.path());
  write("7-a-eager.graph.json", 0);
  EXPECT_EQ(file_or_journal(graph), graph) << "somebody has named it";
}

}  // namespace
}  // namespace pianola::recorder
