// SPDX-License-Identifier: Apache-2.0
// pianolacc becomes clang (or the launcher before it): exit status and signals are those of that process.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "clang_command.hpp"
#include "command_line.hpp"
#include "help.hpp"
#include "installation.hpp"
#include "launch.hpp"
#include "usage_error.hpp"

namespace {

using namespace pianola::driver;

/// @throws usage_error; does not return.
[[noreturn]] void become(const std::vector<std::string>& command) {
  std::fflush(nullptr);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  if (errno == E2BIG)
    throw usage_error(
        "the command is too long for the system: keep options of pianolacc out of response "
        "files, so that those need not be expanded");
  throw usage_error("cannot run " + command[0] + ": " + std::strerror(errno));
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw usage_error("--pianola-save-temps: cannot make the folder '" + folder +
                      "': " + error.message());
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

int run(const std::vector<std::string>& given) {
  const launch launched = read_launch(given);
  if (!launched.launcher.empty()) {
    std::vector<std::string> command = launched.launcher;
    command.push_back(find_installation().self);
    command.insert(command.end(), launched.arguments.begin(), launched.arguments.end());
    become(command);
  }
  const command_line asked = read_command_line(launched.arguments, std::getenv("PIANOLA_TARGETS"));
  const std::string clang = find_clang(std::getenv("PIANOLA_CLANG"));
  if (asked.help) {
    print(help_text(clang));
    return 0;
  }
  const std::vector<std::string> command = clang_command(asked, find_installation(), clang);
  if (asked.own.dry_run) {
    print(quoted(command) + "\n");
    return 0;
  }
  if (asked.version) print(version_line());
  if (!asked.own.save_temps.empty() && asked.has_inputs) make_folder(asked.own.save_temps);
  become(command);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const usage_error& error) {
    std::fprintf(stderr, "pianolacc: error: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pianolacc: internal error: %s\n", error.what());
    return 3;
  }
}
