// SPDX-License-Identifier: Apache-2.0
#include "installation.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "clang_command.hpp"
#include "configuration.hpp"
#include "usage_error.hpp"

namespace pianola::driver {

namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// Empty: there is none.
std::string find_in_path(std::string_view name) {
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "" : variable;
  while (!folders.empty()) {
    const std::size_t end = folders.find(':');
    const fs::path candidate = fs::path(folders.substr(0, end)) / name;
    if (is_program(candidate)) return candidate.string();
    folders.remove_prefix(end == std::string_view::npos ? folders.size() : end + 1);
  }
  return {};
}

/// The first line that `program --version` prints; empty if it does not run.
std::string version_of(const std::string& program) {
  FILE* const output =
      popen((quoted({program}) + " --version 2>/dev/null </dev/null").c_str(), "r");
  if (output == nullptr) return {};
  std::string line;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) line += static_cast<char>(c);
  pclose(output);
  return line.substr(0, line.find('\n'));
}

}  // namespace

installation find_installation() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw usage_error("cannot tell where pianolacc lies (/proc/self/exe): " + error.message());
  const fs::path bin = self.parent_path();

  installation result;
  result.self = self.string();
  fs::path libraries = bin.parent_path() / "lib";
  if (std::ifstream build_tree(libraries / "pianola" / "pianolacc-build-tree.txt"); build_tree) {
    for (std::string folder; std::getline(build_tree, folder);)
      if (!folder.empty()) result.headers.push_back(folder);
  } else {
    libraries = (bin / libraries_from_bin).lexically_normal();
    result.headers.push_back((bin / headers_from_bin).lexically_normal().string());
  }
  result.libraries = libraries.string();
  const fs::path plugin = libraries / "pianola" / "libpianola-compiler.so";
  if (!fs::exists(plugin, error))
    throw usage_error("the compiler plugin is missing: " + plugin.string() +
                      "; install Pianola again, all of it");
  result.plugin = plugin.string();
  const fs::path sum = libraries / "pianola" / "pianola-compiler.sum";
  result.sum = fs::exists(sum, error) ? sum.string() : result.plugin;
  return result;
}

std::string find_clang(const char* chosen) {
  if (chosen != nullptr && *chosen != '\0') {
    const std::string_view name = chosen;
    const std::string path =
        name.find('/') == std::string_view::npos ? find_in_path(name) : std::string(name);
    if (path.empty() || !is_program(path))
      throw usage_error("PIANOLA_CLANG='" + std::string(name) + "': there is no such program");
    // Of another compiler every option of ours would be an error, and another version cannot load the plugin.
    const std::string version = version_of(path);
    if (version.find("clang version 19.") == std::string::npos)
      throw usage_error("PIANOLA_CLANG='" + std::string(name) +
                        "': it must be clang++ 19, and calls itself '" + version + "'");
    return path;
  }
  for (const char* path : {configured_clang, "/usr/lib/llvm-19/bin/clang++"})
    if (is_program(path)) return path;
  if (std::string path = find_in_path("clang++-19"); !path.empty()) return path;
  throw usage_error(
      "there is no clang++-19: install the package clang-19, or set PIANOLA_CLANG to its path");
}

}  // namespace pianola::driver
