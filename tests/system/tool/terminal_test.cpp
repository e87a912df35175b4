// SPDX-License-Identifier: Apache-2.0
// What the program does at a terminal: pages of long output, and what it is at when it takes long.
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/recorder/graph_json.hpp>

#include "run_tool.hpp"
#include "sample_graph.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class terminal : public ::testing::Test {
 protected:
  // The tool at a terminal of so many lines. `pager`: null for a terminal where none is named. `no_colour`: what the
  // variable says; null: it is not set.
  tool_result at_terminal(unsigned short lines, const char* pager,
                          std::vector<std::string> arguments, const char* no_colour = "1",
                          const char* kind = "xterm") {
    arguments.insert(arguments.begin(), PIANOLA_TOOL);
    std::vector<char*> argv;
    for (std::string& w : arguments) argv.push_back(w.data());
    argv.push_back(nullptr);
    ::winsize window{};
    window.ws_row = lines;
    window.ws_col = 200;
    int screen = -1;
    const ::pid_t child = ::forkpty(&screen, nullptr, nullptr, &window);
    if (child == 0) {
      if (pager != nullptr)
        ::setenv("PAGER", pager, 1);
      else
        ::unsetenv("PAGER");
      ::setenv("TERM", kind, 1);
      ::unsetenv("NO_COLOR");
      if (no_colour != nullptr) ::setenv("NO_COLOR", no_colour, 1);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    tool_result result;
    char some[4096];
    for (::ssize_t n = 0; (n = ::read(screen, some, sizeof some)) > 0;)
      result.out.append(some, static_cast<std::size_t>(n));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(screen);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    return result;
  }

  temporary_folder folder_;
  std::string graph_ = folder_.file("g.json", recorder::to_json(halo_graph(), two_devices()));
};

TEST_F(terminal, gets_pages_of_text_that_it_has_not_enough_lines_for) {
  const tool_result pages = at_terminal(3, "sed s/^/paged:/", {"show", graph_});
  EXPECT_EQ(pages.exit_code, 0);
  EXPECT_THAT(pages.out, HasSubstr("paged:devices:"));
  const tool_result fits = at_terminal(500, "sed s/^/paged:/", {"show", graph_});
  EXPECT_EQ(fits.exit_code, 0);
  EXPECT_THAT(fits.out, HasSubstr("devices:"));
  EXPECT_THAT(fits.out, Not(HasSubstr("paged:")));
}

TEST_F(terminal, has_pages_and_files_and_pipes_have_none) {
  const tool_result piped = run_tool({"show", graph_}, {"PAGER=sed s/^/paged:/"});
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_THAT(piped.out, HasSubstr("\ndevices:"));
  EXPECT_THAT(piped.out, Not(HasSubstr("paged:")));
  const std::string file = folder_.file("shown");
  const tool_result filed =
      at_terminal(3, "sed s/^/paged:/", {"show", graph_, "--dot", "-o", file});
  EXPECT_THAT(filed.out, Not(HasSubstr("paged:")));
}

TEST_F(terminal, gets_all_without_a_pager) {
  for (const char* const none : {"", "there-is-no-such-pager"}) {
    const tool_result r = at_terminal(3, none, {"show", graph_});
    EXPECT_EQ(r.exit_code, 0) << none;
    EXPECT_THAT(r.out, HasSubstr("devices:")) << none;
    EXPECT_THAT(r.out, HasSubstr("commands:")) << none;
  }
}

TEST_F(terminal, may_leave_the_pager_before_all_is_read) {
  const tool_result r = at_terminal(3, "head -n 1", {"show", graph_});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, HasSubstr("graph"));
  EXPECT_THAT(r.out, Not(HasSubstr("commands:")));
  EXPECT_EQ(at_terminal(3, "true", {"completion", "bash"}).exit_code, 0);
}

TEST_F(terminal, gets_no_pictures) {
  const tool_result r = at_terminal(500, nullptr, {"show", graph_, "--png"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(
      r.out,
      "pianola: show --png writes a picture, which no terminal shows; name a file with -o\r\n");
  const std::string file = folder_.file("picture.png", "");
  EXPECT_EQ(at_terminal(500, nullptr, {"show", graph_, "--png", "-o", file}).exit_code, 0);
}

TEST_F(terminal, has_colours_and_nobody_else_does) {
  constexpr const char* kernel = "\x1b[32mkernel\x1b[0m";
  const auto shown = [&](const char* no_colour, const char* kind = "xterm") {
    return at_terminal(500, nullptr, {"show", graph_}, no_colour, kind).out;
  };
  for (const char* const none : {static_cast<const char*>(nullptr), ""}) {
    EXPECT_THAT(shown(none), HasSubstr(kernel));
    EXPECT_THAT(shown(none), HasSubstr("\x1b[1mcommands:\x1b[0m"));
  }
  EXPECT_THAT(at_terminal(500, nullptr, {"explain", graph_}, nullptr).out,
              HasSubstr("\x1b[33m  --transfer\x1b[0m "));
  EXPECT_THAT(at_terminal(500, nullptr, {"check", graph_}, nullptr).out,
              HasSubstr("\x1b[1m\x1b[32mnothing found\x1b[0m"));
  // Of somebody who wants none, on a terminal that has none, in a pipe, in a file and for programs.
  const auto has_none = [&](const std::string& text) {
    EXPECT_THAT(text, HasSubstr("commands"));
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  };
  has_none(shown("1"));
  has_none(shown(nullptr, "dumb"));
  has_none(run_tool({"show", graph_}).out);
  const std::string file = folder_.file("shown");
  static_cast<void>(at_terminal(500, nullptr, {"show", graph_, "-o", file}, nullptr));
  has_none(formats::read_file(file));
  has_none(at_terminal(500, nullptr, {"show", graph_, "--json"}, nullptr).out);
}

// One race for certain, and one that may be.
TEST_F(terminal, shows_problems_in_their_own_colours) {
  recorder::command_graph graph;
  model::usm_allocation device;
  device.bytes = 64;
  device.memory = model::memory_id(1);
  graph.add_allocation(device);
  graph.add_allocation(device);
  for (int i = 0; i < 2; ++i) add_kernel(graph, "both", 4, 0, {});
  for (std::uint32_t c = 0; c < 2; ++c)
    for (std::uint32_t a = 0; a < 2; ++a)
      graph.add_usm_access({model::command_id(c), a, 0, 64, false, true, a == 0});
  const std::string file = folder_.file("races.json", recorder::to_json(graph, two_devices()));
  const tool_result r = at_terminal(500, nullptr, {"check", "--suspicions", file}, nullptr);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("\x1b[1m\x1b[31mrace for\x1b[0m bytes 0 to 64 of allocation 0"));
  EXPECT_THAT(r.out,
              HasSubstr("\x1b[1m\x1b[33mmay be: race for\x1b[0m bytes 0 to 64 of allocation 1"));
}

TEST_F(terminal, is_told_of_what_takes_longer_than_a_second_until_that_is_over) {
  // A graph that somebody takes a while to write.
  const std::string slow = folder_.file("slow");
  ASSERT_EQ(::mkfifo(slow.c_str(), 0600), 0);
  const std::string contents = formats::read_file(graph_);
  std::thread writer([&] {
    std::ofstream out(slow);
    out << contents.substr(0, 10) << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    out << contents.substr(10);
  });
  const tool_result r = at_terminal(500, nullptr, {"show", slow});
  writer.join();
  EXPECT_EQ(r.exit_code, 0) << r.out;
  const std::size_t told = r.out.find("] reading "), over = r.out.rfind("\r\033[K");
  ASSERT_NE(told, std::string::npos) << r.out;
  ASSERT_NE(over, std::string::npos);
  EXPECT_EQ(r.out.compare(over, 10, "\r\033[Kgraph "), 0) << r.out;
}

}  // namespace
