// SPDX-License-Identifier: Apache-2.0
#include "outputs/pager.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace pianola::tool {

namespace {

// What a shell ends with if there is no such program.
constexpr int not_there = 127;

// Lines of the terminal at standard output; 0: it is none, or does not say.
std::size_t terminal_lines() {
  struct ::winsize window{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) return 0;
  return window.ws_row;
}

// For a shell; empty: none is wanted.
std::string pager() {
  if (const char* const named = std::getenv("PAGER"); named != nullptr) return named;
  return "if command -v less >/dev/null; then exec less; else exit 127; fi";
}

// The pager may end before it has read all, and has the keys of the terminal while it runs.
class signals_left_to_the_pager {
 public:
  signals_left_to_the_pager()
      : pipe_(std::signal(SIGPIPE, SIG_IGN)), interrupt_(std::signal(SIGINT, SIG_IGN)) {}
  ~signals_left_to_the_pager() {
    std::signal(SIGPIPE, pipe_);
    std::signal(SIGINT, interrupt_);
  }
  signals_left_to_the_pager(const signals_left_to_the_pager&) = delete;
  signals_left_to_the_pager& operator=(const signals_left_to_the_pager&) = delete;

 private:
  void (*pipe_)(int);
  void (*interrupt_)(int);
};

}  // namespace

bool paged(const std::string& text) {
  const std::size_t lines = terminal_lines();
  if (lines == 0 || text.find('\0') != std::string::npos) return false;
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) < lines) return false;
  const std::string program = pager();
  if (program.empty()) return false;
  ::setenv("LESS", "FRX", 0);
  std::FILE* const input = ::popen(program.c_str(), "w");
  if (input == nullptr) return false;
  const signals_left_to_the_pager ignored;
  std::fwrite(text.data(), 1, text.size(), input);
  const int status = ::pclose(input);
  return !WIFEXITED(status) || WEXITSTATUS(status) != not_there;
}

}  // namespace pianola::tool
