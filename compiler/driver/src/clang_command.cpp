// SPDX-License-Identifier: Apache-2.0
#include "clang_command.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace pianola::driver {

namespace {

constexpr std::uint64_t fnv_basis = 0xcbf29ce484222325;

std::uint64_t fnv_1a(std::string_view text, std::uint64_t hash) {
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return hash * prime;  // a null ends each text: "a" "bc" is not "ab" "c"
}

std::string hex(std::uint64_t number) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4)
    *digit = "0123456789abcdef"[number & 15];
  return text;
}

// The same file compiled twice, or files of one name in two folders, are different units.
std::string unit(const command_line& asked) {
  if (asked.own.unit) return hex(fnv_1a(*asked.own.unit, fnv_basis));
  std::error_code error;
  std::uint64_t hash = fnv_1a(std::filesystem::current_path(error).string(), fnv_basis);
  for (const std::string& argument : asked.expanded) hash = fnv_1a(argument, hash);
  return hex(hash);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

std::vector<std::string> plugin_folders(const own_options& own) {
  std::vector<std::string> options;
  if (!own.cuda_path.empty()) options.push_back("-pianola-cuda-path=" + own.cuda_path);
  if (!own.rocm_path.empty()) options.push_back("-pianola-rocm-path=" + own.rocm_path);
  if (!own.save_temps.empty()) options.push_back("-pianola-save-temps=" + own.save_temps);
  return options;
}

void add_for_plugin(std::vector<std::string>& command, const std::string& option) {
  // -Xclang: clang's assembler takes -mllvm too, but loads no plugin that would know the option.
  command.insert(command.end(), {"-Xclang", "-mllvm", "-Xclang", option});
}

std::vector<std::string> clang_command(const command_line& asked, const installation& where,
                                       const std::string& clang) {
  std::vector<std::string> command{clang, "--driver-mode=g++"};
  if (!asked.has_inputs) {
    command.insert(command.end(), asked.passed.begin(), asked.passed.end());
    return command;
  }
  const auto add = [&](auto&&... words) { (command.push_back(words), ...); };

  // Before what was asked for, so that the last word is the user's; not all of it is used in every job.
  add("--start-no-unused-arguments");
  add("-fplugin=" + where.plugin, "-fpass-plugin=" + where.plugin, "-D__PIANOLACC__=1");
  // As <sycl/sycl.hpp> has it. Libraries ask for it to know that SYCL's compiler is at work, and include that then.
  if (asked.own.as_dpcpp) add("-DSYCL_LANGUAGE_VERSION=202012L");
  if (!asked.own.sub_group_size.empty())
    add("-DPIANOLA_SUB_GROUP_SIZE=" + asked.own.sub_group_size);
  // A pattern that matches no pass: makes clang keep source locations for messages of the plugin, without
  // debug information in the object.
  add("-Rpass=__pianola_none");
  // Who lists dependencies, those on the system's files as well, has another object when this compiler changes.
  if (std::find(asked.passed.begin(), asked.passed.end(), "-MD") != asked.passed.end())
    add("-Xclang", "-fdepfile-entry=" + where.sum);
  add_for_plugin(command, "-pianola-unit=" + unit(asked));
  if (!asked.own.targets.empty())
    add_for_plugin(command, "-pianola-targets=" + joined(asked.own.targets));
  for (const std::string& option : plugin_folders(asked.own)) add_for_plugin(command, option);
  if (asked.fast_math) add_for_plugin(command, "-pianola-fast-math");
  if (!asked.own.device_pass.empty())
    add_for_plugin(command, "-pianola-device-pass=" + asked.own.device_pass);
  if (asked.own.check_accesses) {
    add("-DPIANOLA_CHECK_ACCESSES=1");
    add_for_plugin(command, "-pianola-check-accesses");
  }
  add("--end-no-unused-arguments");

  const auto end_of_options =
      asked.passed.begin() + static_cast<std::ptrdiff_t>(asked.end_of_options);
  command.insert(command.end(), asked.passed.begin(), end_of_options);

  // Behind the user's, so that a project's own Pianola is found first.
  add("--start-no-unused-arguments");
  if (!asked.own.no_headers)
    for (const std::string& folder : where.headers) add("-isystem", folder);
  command.insert(command.end(), asked.link_options.begin(), asked.link_options.end());
  if (asked.links && asked.takes_libraries && !asked.own.no_link) {
    add("-L" + where.libraries, "-Xlinker", "-rpath", "-Xlinker", where.libraries);
    // Files behind "--" come after the library, where the linker would not yet know that they need it.
    if (end_of_options == asked.passed.end())
      add("-Wl,--push-state,--as-needed", "-lpianola", "-Wl,--pop-state");
    else
      add("-lpianola");
  }
  add("--end-no-unused-arguments");
  command.insert(command.end(), end_of_options, asked.passed.end());
  return command;
}

std::string quoted(const std::vector<std::string>& command) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
    text += '\'';
  }
  return text;
}

}  // namespace pianola::driver
