// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

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
::pid_t start_dot(const child_end& ends, std::vector<std::string> options, int& error) {
  char program[] = "dot";
  std::vector<char*> arguments{program};
  for (std::string& o : options) arguments.push_back(o.data());
  arguments.push_back(nullptr);
  volatile int failed = 0;
  const ::pid_t child = ::vfork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != ends.parent) ::_exit(127);
    if (::dup2(ends.in, 0) >= 0 && ::dup2(ends.out, 1) >= 0 && ::dup2(ends.errors, 2) >= 0)
      ::execvp(program, arguments.data());
    failed = errno;
    ::_exit(127);
  }
  error = child < 0 ? errno : failed;
  if (child > 0 && error != 0) ::waitpid(child, nullptr, 0);
  return child;
}

// `last`: what is in everything that is complete.
std::string made_by_dot(const std::string& dot, std::vector<std::string> options,
                        std::string_view last) {
  memory_file in("pianola-dot"), out("pianola-picture"), errors("pianola-errors");
  in.fill(dot);

  const child_end ends{in.get(), out.get(), errors.get(), ::getpid()};
  int error = 0;
  const ::pid_t child = start_dot(ends, std::move(options), error);
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

// Sizes in points.
struct extent {
  double width = 0, height = 0;
};

// Of all that Graphviz has laid out: "0,0,WIDTH,HEIGHT" of the whole comes before those of its parts.
extent extent_of(const std::string& laid_out) {
  constexpr std::string_view key = "bb=\"0,0,";
  extent e;
  const std::size_t found = laid_out.find(key);
  const char* at =
      laid_out.data() + (found == std::string::npos ? laid_out.size() : found + key.size());
  const char* const end = laid_out.data() + laid_out.size();
  const auto width = std::from_chars(at, end, e.width);
  const auto height = std::from_chars(width.ptr + (width.ptr == end ? 0 : 1), end, e.height);
  if (width.ec != std::errc() || height.ec != std::errc())
    fail("'dot' did not say how large it is");
  return e;
}

// What is drawn of a layout: all of it and a margin. Whole pixels, by either resolution: where the edge of the page lies
// within one, the picture gets a fourth value per pixel, for what shines through there.
std::string page_of(const extent& e) {
  constexpr double margin = 4, whole = 3;
  const auto side = [](double s) { return whole * std::ceil((s + 2 * margin) / whole); };
  return fmt::format("-Gviewport={:.0f},{:.0f},1", side(e.width), side(e.height));
}

// Pixels per inch. Packing pixels takes most of the time, and what they take of memory is more than all else; letters
// of 9 points can be read in 9 pixels.
int resolution_of(const extent& e) {
  constexpr double usual = 96, least = 72, points_per_inch = 72, most_pixels = 8e6;
  const double pixels = e.width * e.height * (usual / points_per_inch) * (usual / points_per_inch);
  return static_cast<int>(pixels > most_pixels ? least : usual);
}

}  // namespace

std::string svg_from_dot(const std::string& dot) { return made_by_dot(dot, {"-Tsvg"}, "</svg>"); }

std::string png_from_dot(const std::string& dot) {
  const std::string laid_out = made_by_dot(dot, {"-Tdot"}, "}");
  const extent e = extent_of(laid_out);
  return made_by_dot(
      laid_out, {"-Kneato", "-n2", page_of(e), fmt::format("-Gdpi={}", resolution_of(e)), "-Tpng"},
      "IEND");
}

void render_svg(const std::string& dot, const std::string& path) {
  formats::write_file(path, svg_from_dot(dot));
}

}  // namespace pianola::planner
