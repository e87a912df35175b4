// SPDX-License-Identifier: Apache-2.0
// Programs in processes of their own: each starts the runtime anew, with an environment of its own, and may lose a
// device or hang. The process of the tests never starts it.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pianola::test {

using settings = std::vector<std::pair<std::string, std::string>>;

struct process_end {
  std::string text;  // what the program had to say
  std::string how;   // empty: it returned; else what ended it
};

// The child calls `program` and sends what it returns. It is ended after a minute.
inline process_end in_a_process(const settings& environment,
                                const std::function<std::string()>& program) {
  int ends[2];
  if (pipe(ends) != 0) return {"", "no pipe"};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(60);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::string text;
    try {
      text = program();
    } catch (const std::exception& e) {
      text = std::string("not caught: ") + e.what();
    }
    // Exit handlers run: they, too, must get along with what has failed.
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = write(ends[1], text.data() + at, text.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    std::exit(0);
  }
  close(ends[1]);
  process_end end;
  char bytes[4096];
  for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
    end.text.append(bytes, static_cast<std::size_t>(n));
  close(ends[0]);
  int state = 0;
  waitpid(child, &state, 0);
  if (WIFSIGNALED(state))
    end.how = WTERMSIG(state) == SIGALRM ? "it hangs" : "signal " + std::to_string(WTERMSIG(state));
  else if (WEXITSTATUS(state) != 0)
    end.how = "exit code " + std::to_string(WEXITSTATUS(state));
  return end;
}

}  // namespace pianola::test
