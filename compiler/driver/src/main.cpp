// SPDX-License-Identifier: Apache-2.0
// pianolacc becomes clang (or the launcher before it), or waits for it where it links: exit status and signals are those of
// that process.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "clang_command.hpp"
#include "command_line.hpp"
#include "device_link.hpp"
#include "help.hpp"
#include "installation.hpp"
#include "launch.hpp"
#include "processes.hpp"
#include "usage_error.hpp"

namespace {

using namespace pianola::driver;

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw usage_error("--pianola-save-temps: cannot make the folder '" + folder +
                      "': " + error.message());
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

int run(const std::vector<std::string>& given) {
  if (is_linker_command(given)) return link_with_images(given);
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
  if (asked.links) compile_and_link(asked, find_installation(), clang, command);
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
