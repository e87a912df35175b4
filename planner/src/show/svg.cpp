// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "pianola/planner/dot.hpp"

namespace pianola::planner {

namespace {

[[noreturn]] void fail(const std::string& reason) {
  throw model::user_error(model::error_code::invalid, "the picture cannot be drawn: " + reason);
}

// Memory that is a file: a child's input and output without pipes, which can block and raise SIGPIPE.
class memory_file {
 public:
  explicit memory_file(const char* name) : fd_(::memfd_create(name, MFD_CLOEXEC)) {
    if (fd_ < 0) fail(std::string("no memory file: ") + std::strerror(errno));
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { ::close(fd_); }
  [[nodiscard]] int get() const noexcept { return fd_; }

  void fill(const std::string& contents) {
    for (std::size_t done = 0; done < contents.size();) {
      const ::ssize_t n = ::write(fd_, contents.data() + done, contents.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(std::strerror(errno));
      done += static_cast<std::size_t>(n);
    }
    ::lseek(fd_, 0, SEEK_SET);
  }
  std::string contents() {
    std::string all;
    char block[65536];
    ::off_t at = 0;
    for (;;) {
      const ::ssize_t n = ::pread(fd_, block, sizeof block, at);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(std::strerror(errno));
      if (n == 0) return all;
      all.append(block, static_cast<std::size_t>(n));
      at += n;
    }
  }

 private:
  int fd_;
};

struct child_end {
  int in, out, errors;
  ::pid_t parent;
};

// Runs 'dot', which ends with the thread that waits for it, whatever ends that. Everything between vfork and exec is
// safe in a process with threads; the child shares this process's memory until then, so it can say what failed.
::pid_t start_dot(const child_end& ends, std::string format, int& error) {
  char program[] = "dot";
  char* arguments[] = {program, format.data(), nullptr};
  volatile int failed = 0;
  const ::pid_t child = ::vfork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != ends.parent) ::_exit(127);
    if (::dup2(ends.in, 0) >= 0 && ::dup2(ends.out, 1) >= 0 && ::dup2(ends.errors, 2) >= 0)
      ::execvp(program, arguments);
    failed = errno;
    ::_exit(127);
  }
  error = child < 0 ? errno : failed;
  if (child > 0 && error != 0) ::waitpid(child, nullptr, 0);
  return child;
}

// `last`: what is in every picture that is complete.
std::string picture(const std::string& dot, const char* format, std::string_view last) {
  memory_file in("pianola-dot"), out("pianola-picture"), errors("pianola-errors");
  in.fill(dot);

  const child_end ends{in.get(), out.get(), errors.get(), ::getpid()};
  int error = 0;
  const ::pid_t child = start_dot(ends, format, error);
  if (error == ENOENT)
    fail("the program 'dot' of Graphviz is not on the PATH; install Graphviz, or ask for DOT");
  if (error != 0) fail(std::string("the program 'dot' cannot be run: ") + std::strerror(error));

  int status = 0;
  ::pid_t waited = 0;
  do waited = ::waitpid(child, &status, 0);
  while (waited < 0 && errno == EINTR);
  // ECHILD: the program ignores SIGCHLD, so nobody knows the status; the picture must speak for itself.
  const bool unknown = waited < 0 && errno == ECHILD;
  std::string drawn = out.contents();
  const bool complete = drawn.find(last) != std::string::npos;
  if ((unknown || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) && complete) return drawn;
  const std::string said = errors.contents();
  fail("'dot' failed: " + (said.empty() ? std::string("it said nothing")
                                        : formats::one_line(said.substr(0, said.find('\n')), 200)));
}

}  // namespace

std::string svg_from_dot(const std::string& dot) { return picture(dot, "-Tsvg", "</svg>"); }

std::string png_from_dot(const std::string& dot) { return picture(dot, "-Tpng", "IEND"); }

void render_svg(const std::string& dot, const std::string& path) {
  formats::write_file(path, svg_from_dot(dot));
}

}  // namespace pianola::planner
