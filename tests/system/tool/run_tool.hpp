// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pianola/formats/file.hpp>
#include <pianola/test/temporary_folder.hpp>

namespace pianola::testing {

struct tool_result {
  int exit_code = -1;  // -1: it was ended by a signal
  std::string out;
  std::string err;
};

// Runs the program `pianola`. `variables`: "NAME=value", set besides the test's own environment.
// `out`: where standard output goes instead of into the result.
inline tool_result run_tool(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables = {},
                            const char* out_path = nullptr) {
  temporary_folder folder;
  const std::string out = out_path != nullptr ? out_path : folder.file("out");
  const std::string err = folder.file("err");
  std::vector<std::string> words = {PIANOLA_TOOL};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::vector<std::string> settings = variables;

  const pid_t child = ::fork();
  if (child == 0) {
    for (std::string& s : settings) ::putenv(s.data());
    const int out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out_fd, 1);
    ::dup2(err_fd, 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  tool_result result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (out_path == nullptr) result.out = formats::read_file(out);
  result.err = formats::read_file(err);
  return result;
}

// Bad input: exit code 2 and exactly one line that says who speaks.
inline void expect_one_line_of_complaint(const tool_result& r) {
  EXPECT_EQ(r.exit_code, 2) << r.out << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err.substr(0, 9), "pianola: ");
  EXPECT_GT(r.err.size(), 10U);
  EXPECT_EQ(r.err.find('\n'), r.err.size() - 1) << r.err;
}

}  // namespace pianola::testing
