// SPDX-License-Identifier: Apache-2.0
#include "device_link.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <tuple>

#include "clang_command.hpp"
#include "processes.hpp"
#include "response_files.hpp"
#include "usage_error.hpp"
#include "waiting_kernels.hpp"

namespace pianola::driver {

namespace fs = std::filesystem;

namespace {

// What this program in the linker's place is told, among the linker's arguments.
constexpr std::string_view own_prefix = "--pianola-";
constexpr std::string_view linker_option = "--pianola-linker=";
constexpr std::string_view clang_option = "--pianola-clang=";
constexpr std::string_view pass_option = "--pianola-pass=";  // to the plugin
constexpr std::string_view verbose_option = "--pianola-verbose";
constexpr std::string_view images_option = "--pianola-images";  // where the object comes

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class temporary_folder {
 public:
  temporary_folder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "pianola-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr)
      throw usage_error("cannot make a folder for temporary files: " + pattern);
    path_ = pattern;
  }
  ~temporary_folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Tells a file from the one that was there before.
using file_state = std::tuple<bool, dev_t, ino_t, time_t, long, off_t>;

file_state state_of(const std::string& path) {
  struct stat s = {};
  if (stat(path.c_str(), &s) != 0) return {};
  return {true, s.st_dev, s.st_ino, s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_size};
}

/// The linker that clang runs for this command: the first word of the last command that it would run.
std::string linker_of(std::vector<std::string> command, const temporary_folder& temporary) {
  command.insert(command.begin() + 1, "-###");
  const std::string shown = temporary.file("commands");
  if (!run_process(command, shown).good()) return {};
  std::ifstream file(shown);
  std::string linker;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(" \"")) continue;
    linker.clear();
    for (std::size_t i = 2; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) ++i;
      linker += line[i];
    }
  }
  return linker;
}

void say(const std::vector<std::string>& command) {
  std::fprintf(stderr, " %s\n", quoted(command).c_str());
}

/// What the linker says it takes in: a file in a line, or a library and its member: "lib.a(member.o)", "(lib.a)member.o".
std::vector<std::string> files_of_trace(const std::string& trace) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return false;
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
    return true;
  };
  std::ifstream text(trace);
  for (std::string line; std::getline(text, line);) {
    if (add(line)) continue;
    if (const std::size_t end = line.find(')'); line.starts_with('(') && end != std::string::npos)
      add(line.substr(1, end - 1));
    else if (const std::size_t begin = line.rfind('('); begin != std::string::npos)
      add(line.substr(0, begin));
  }
  return files;
}

struct linker_command {
  std::string linker;
  std::string clang;
  std::vector<std::string> for_plugin;
  bool verbose = false;
  std::vector<std::string> arguments;  // for the linker, with images_option in its place
  std::size_t output = 0;              // which of them is what it makes
};

linker_command read_linker_command(const std::vector<std::string>& arguments) {
  linker_command read;
  bool output_follows = false;
  for (const std::string& a : arguments) {
    if (output_follows) read.output = read.arguments.size();
    output_follows = !output_follows && a == "-o";
    if (a.starts_with(linker_option))
      read.linker = a.substr(linker_option.size());
    else if (a.starts_with(clang_option))
      read.clang = a.substr(clang_option.size());
    else if (a.starts_with(pass_option))
      read.for_plugin.push_back(a.substr(pass_option.size()));
    else if (a == verbose_option)
      read.verbose = true;
    else if (a == images_option || !a.starts_with(own_prefix))
      read.arguments.push_back(a);
  }
  if (read.linker.empty() || read.clang.empty() || read.output == 0)
    throw usage_error("--pianola-linker is not for use by hand");
  return read;
}

std::vector<std::string> replaced(std::vector<std::string> words, std::string_view word,
                                  const std::string& by) {
  std::replace_if(words.begin(), words.end(), [&](const std::string& w) { return w == word; }, by);
  return words;
}

/// Runs it quietly, as what it has to say was said before; if it fails, not.
int run_again(const linker_command& asked, std::vector<std::string> command,
              const std::string& messages) {
  if (asked.verbose) say(command);
  const process_end end = run_process(command, messages);
  if (!end.good()) std::fputs(contents(messages).c_str(), stderr);
  return end.signal != 0 ? 128 + end.signal : end.status;
}

/// The files that are linked, behind what is linked of them, for the plugin.
int trace_files(const linker_command& asked, const temporary_folder& temporary,
                const std::string& list) {
  const std::string linked = temporary.file("linked");
  const std::string trace = temporary.file("trace");
  std::vector<std::string> command = asked.arguments;
  command[asked.output] = linked;
  std::erase(command, images_option);
  command.insert(command.begin(), asked.linker);
  // Twice: with the libraries' members.
  command.insert(command.end(), {"-t", "-t"});
  if (const int status = run_again(asked, command, trace); status != 0) return status;
  std::ofstream file(list);
  file << linked << '\n';
  for (const std::string& path : files_of_trace(trace)) file << path << '\n';
  return 0;
}

int make_images(const linker_command& asked, const std::string& list, const std::string& images) {
  const std::string plugin = find_installation().plugin;
  std::vector<std::string> command{asked.clang, "--driver-mode=g++"};
  const auto add = [&](auto&&... words) { (command.push_back(words), ...); };
  add("-fplugin=" + plugin, "-fpass-plugin=" + plugin, "-Rpass=__pianola_none");
  add_for_plugin(command, "-pianola-link=" + list);
  add_for_plugin(
      command, "-pianola-link-name=" + fs::path(asked.arguments[asked.output]).filename().string());
  for (const std::string& option : asked.for_plugin) add_for_plugin(command, option);
  add("-fPIC", "-c", "-x", "c++", "/dev/null", "-o", images);
  if (asked.verbose) say(command);
  const process_end end = run_process(command);
  return end.signal != 0 ? 128 + end.signal : end.status;
}

}  // namespace

bool is_linker_command(const std::vector<std::string>& arguments) {
  const std::vector<std::string> words = expand_response_files(arguments);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& a) { return a.starts_with(linker_option); });
}

int link_with_images(const std::vector<std::string>& arguments) {
  const linker_command asked = read_linker_command(expand_response_files(arguments));
  const temporary_folder temporary;
  const std::string list = temporary.file("files");
  const std::string images = temporary.file("images.o");
  if (const int status = trace_files(asked, temporary, list); status != 0) return status;
  if (const int status = make_images(asked, list, images); status != 0) return status;
  std::vector<std::string> command = replaced(asked.arguments, images_option, images);
  command.insert(command.begin(), asked.linker);
  return run_again(asked, command, temporary.file("messages"));
}

void compile_and_link(const command_line& asked, const installation& where,
                      const std::string& clang, const std::vector<std::string>& command) {
  const file_state before = state_of(asked.output);
  process_end end = run_process(command);
  if (!end.good() || state_of(asked.output) == before || !has_waiting_kernels(asked.output))
    end_likewise(end);
  if (asked.reads_input) {
    std::remove(asked.output.c_str());
    throw usage_error(
        "kernels that call functions of other translation units are compiled before they are "
        "linked: what comes from standard input cannot be read twice, so give it a command of its "
        "own with -c");
  }
  command_line again = asked;
  const auto tell_linker = [&](const std::string& word) {
    again.link_options.insert(again.link_options.end(), {"-Xlinker", word});
  };
  {
    const temporary_folder temporary;
    const std::string linker = linker_of(command, temporary);
    if (linker.empty()) throw usage_error("clang does not tell which linker it runs");
    again.link_options.push_back("--ld-path=" + where.self);
    tell_linker(std::string(linker_option) + linker);
  }
  tell_linker(std::string(clang_option) + clang);
  for (const std::string& option : plugin_folders(asked.own))
    tell_linker(std::string(pass_option) + option);
  if (asked.verbose) tell_linker(std::string(verbose_option));
  tell_linker(std::string(images_option));
  // Sources of the command are compiled once more.
  again.link_options.emplace_back("-w");
  end = run_process(clang_command(again, where, clang));
  // A program without these images would run, but for its kernels.
  if (!end.good()) std::remove(asked.output.c_str());
  end_likewise(end);
}

}  // namespace pianola::driver
