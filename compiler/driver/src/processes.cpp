// SPDX-License-Identifier: Apache-2.0
#include "processes.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "usage_error.hpp"

namespace pianola::driver {

namespace {

constexpr std::array asking_to_end{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

volatile std::sig_atomic_t running = 0;  // the process that signals are passed on to

void pass_on(int signal) {
  if (running != 0) kill(static_cast<pid_t>(running), signal);
}

/// While a process runs; it starts with what was there before.
class signal_passing {
 public:
  signal_passing() {
    struct sigaction action = {};
    action.sa_handler = &pass_on;
    for (std::size_t i = 0; i < asking_to_end.size(); ++i) {
      sigaction(asking_to_end[i], nullptr, &before_[i]);
      // What is ignored (nohup) stays so.
      if (before_[i].sa_handler != SIG_IGN) sigaction(asking_to_end[i], &action, nullptr);
    }
  }
  ~signal_passing() {
    for (std::size_t i = 0; i < asking_to_end.size(); ++i)
      sigaction(asking_to_end[i], &before_[i], nullptr);
  }
  signal_passing(const signal_passing&) = delete;
  signal_passing& operator=(const signal_passing&) = delete;

 private:
  std::array<struct sigaction, asking_to_end.size()> before_{};
};

std::vector<char*> words_of(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

[[noreturn]] void throw_cannot_run(const std::string& program, int why) {
  if (why == E2BIG)
    throw usage_error(
        "the command is too long for the system: keep options of pianolacc out of response "
        "files, so that those need not be expanded");
  throw usage_error("cannot run " + program + ": " + std::strerror(why));
}

// In the new process. Tells why it did not become the command.
[[noreturn]] void become_in_child(char* const* words, const char* output, int answer) {
  if (output != nullptr) {
    const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) {
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
    }
  }
  execvp(words[0], words);
  const int why = errno;
  const ssize_t written = write(answer, &why, sizeof(why));
  _exit(written == sizeof(why) ? 127 : 126);
}

}  // namespace

process_end run_process(const std::vector<std::string>& command, const std::string& output) {
  std::fflush(nullptr);
  const std::vector<char*> words = words_of(command);
  std::array<int, 2> answer{};  // closed when the process has become the command
  if (pipe2(answer.data(), O_CLOEXEC) != 0) throw_cannot_run(command[0], errno);
  // Signals that come before there is somebody to pass them on to.
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  for (const int signal : asking_to_end) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &before);
  // Of children that are ignored nothing is told.
  std::signal(SIGCHLD, SIG_DFL);
  const pid_t child = fork();
  if (child < 0) throw_cannot_run(command[0], errno);
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    become_in_child(words.data(), output.empty() ? nullptr : output.c_str(), answer[1]);
  }
  running = child;
  const signal_passing passing;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(answer[1]);
  int why = 0;
  ssize_t got = 0;
  do got = read(answer[0], &why, sizeof(why));
  while (got < 0 && errno == EINTR);
  close(answer[0]);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  if (got == sizeof(why)) throw_cannot_run(command[0], why);
  if (WIFSIGNALED(state)) return {0, WTERMSIG(state)};
  return {WEXITSTATUS(state), 0};
}

void end_likewise(const process_end& how) {
  std::fflush(nullptr);
  if (how.signal != 0) {
    std::signal(how.signal, SIG_DFL);
    std::raise(how.signal);
  }
  _exit(how.signal != 0 ? 128 + how.signal : how.status);
}

void become(const std::vector<std::string>& command) {
  std::fflush(nullptr);
  execvp(command[0].c_str(), words_of(command).data());
  throw_cannot_run(command[0], errno);
}

}  // namespace pianola::driver
