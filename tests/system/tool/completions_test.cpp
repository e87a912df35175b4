// SPDX-License-Identifier: Apache-2.0
// What shells offer, told by the shells themselves.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

namespace {

using namespace pianola::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

using offers = std::vector<std::string>;

// Between single quotes of a shell; there are none in it.
std::string quoted(const std::string& word) { return "'" + word + "'"; }

class completion : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::system(("command -v " + shell_ + " >/dev/null").c_str()) != 0)
      GTEST_SKIP() << shell_ << " is not installed";
    const tool_result r = run_tool({"completion", shell_});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    folder_.file(shell_ == "zsh" ? "_pianola" : "completion", r.out);
    folder_.file("graph.json", "{}");
  }

  // What is offered at the end of each line, in the folder of the script.
  std::vector<offers> offered(const std::vector<std::string>& lines) {
    std::string command = "cd " + quoted(folder_.path()) + " && HOME=$PWD XDG_CONFIG_HOME=$PWD ";
    if (shell_ == "zsh")
      command += "zsh -f " +
                 quoted(PIANOLA_SOURCE_DIR "/tests/system/tool/completions/zsh_offers.zsh") + " .";
    else if (shell_ == "fish")
      command +=
          "fish --no-config -c 'source completion; for line in $argv; "
          "echo (complete -C $line | string split -f 1 \\t | sort -u); end'";
    else
      command +=
          "bash " + quoted(PIANOLA_SOURCE_DIR "/tests/system/tool/completions/bash_offers.bash");
    for (const std::string& line : lines) command += " " + quoted(line);
    command += " >offered";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::istringstream said(pianola::formats::read_file(folder_.file("offered")));
    std::vector<offers> all;
    for (std::string line; std::getline(said, line);) {
      std::istringstream words(line);
      all.emplace_back();
      for (std::string word; words >> word;) all.back().push_back(word);
    }
    EXPECT_EQ(all.size(), lines.size());
    all.resize(lines.size());
    return all;
  }

  const std::string shell_ = GetParam();
  temporary_folder folder_;
};

TEST_P(completion, offers_subcommands_and_what_they_take) {
  const nlohmann::json told = nlohmann::json::parse(run_tool({"completion", "--json"}).out);
  std::set<std::string> subcommands;
  std::vector<std::string> lines = {"pianola "};
  for (const nlohmann::json& s : told["subcommands"]) {
    subcommands.insert(s["name"]);
    lines.push_back("pianola " + s["name"].get<std::string>() + " --");
  }
  const std::vector<offers> all = offered(lines);
  EXPECT_THAT(all[0], IsSupersetOf(subcommands));
  for (std::size_t i = 0; i < told["subcommands"].size(); ++i) {
    std::set<std::string> options;
    for (const nlohmann::json& o : told["subcommands"][i]["takes"])
      for (const std::string name : o["names"])
        if (name.compare(0, 2, "--") == 0) options.insert(name);
    EXPECT_THAT(all[i + 1], IsSupersetOf(options)) << lines[i + 1];
  }
}

TEST_P(completion, offers_values_where_they_belong) {
  const std::vector<offers> all =
      offered({"pianola plan graph.json --place a", "pianola plan graph.json --objective ",
               "pianola plan graph.json --split=", "pianola plan graph.json --split ",
               "pianola completion ", "pianola plan graph.json --place=re", "pianola --ver"});
  // fish completes the whole word.
  const auto behind = [&](const std::string& option, offers values) {
    if (shell_ == "fish")
      for (std::string& v : values) v.insert(0, option);
    return values;
  };
  EXPECT_THAT(all[0], ElementsAre("anywhere", "as_submitted"));
  EXPECT_THAT(all[1], ElementsAre("bytes", "makespan", "memory"));
  EXPECT_EQ(all[2], behind("--split=", {"always", "never", "where_it_pays"}));
  // What comes behind a blank is no value of it.
  EXPECT_THAT(all[3], Contains("graph.json"));
  EXPECT_THAT(all[3], Not(Contains(HasSubstr("always"))));
  EXPECT_THAT(all[4], ElementsAre("bash", "fish", "man", "zsh"));
  EXPECT_EQ(all[5], behind("--place=", {"refined"}));
  EXPECT_THAT(all[6], ElementsAre("--version"));
}

TEST_P(completion, offers_files_and_programs) {
  const std::vector<offers> all =
      offered({"pianola show gr", "pianola record --times -- bas", "pianola record -o x -- cat gr",
               "pianola show plan --pl", "pianola devices --json "});
  EXPECT_THAT(all[0], ElementsAre("graph.json"));
  EXPECT_THAT(all[1], Contains("bash"));
  EXPECT_THAT(all[2], ElementsAre("graph.json"));
  // A file that has the name of another subcommand.
  EXPECT_THAT(all[3], IsEmpty());
  if (shell_ != "bash") EXPECT_THAT(all[4], Not(Contains("graph.json"))) << "devices reads no file";
}

INSTANTIATE_TEST_SUITE_P(of, completion, ::testing::Values("bash", "zsh", "fish"),
                         [](const auto& shell) { return std::string(shell.param); });

TEST(manual, tells_what_subcommands_take) {
  const tool_result r = run_tool({"completion", "man"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  for (const char* word : {"explain", "fail", "topology", "timeline"})
    EXPECT_THAT(r.out, HasSubstr(word));
}

}  // namespace
