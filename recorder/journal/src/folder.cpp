// SPDX-License-Identifier: Apache-2.0
#include "pianola/journal/folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "pianola/journal/file.hpp"

namespace pianola::journal {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& folder, const std::string& why) {
  throw model::user_error(model::error_code::invalid,
                          fmt::format("{}: what was recorded there before cannot be moved: {}",
                                      formats::one_line(folder, 200), why));
}

bool runs(std::string_view prefix) {
  ::pid_t process = 0;
  std::from_chars(prefix.data(), prefix.data() + prefix.size(), process);
  return process > 0 && (::kill(process, 0) == 0 || errno == EPERM);
}

bool is_older(const fs::path& file, const std::timespec& than) {
  struct ::stat s{};
  if (::stat(file.c_str(), &s) != 0) return false;
  return std::make_pair(s.st_mtim.tv_sec, s.st_mtim.tv_nsec) <
         std::make_pair(than.tv_sec, than.tv_nsec);
}

// Names of files, by process.
std::map<std::string, std::vector<std::string>, std::less<>> files_in(const std::string& folder) {
  std::map<std::string, std::vector<std::string>, std::less<>> found;
  std::error_code error;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, error)) {
    std::string name = e.path().filename().string();
    if (const auto process = process_of(name))
      found[std::string(*process)].push_back(std::move(name));
  }
  return found;
}

}  // namespace

std::optional<std::string_view> process_of(std::string_view file) {
  // Never destroyed: a thread may still write when the program's static objects end.
  static const std::regex& names = *new std::regex(
      R"(([0-9]+-[0-9a-f]{8}-)?(?:eager|graph-[0-9]+)\.(?:graph\.json|plan\.json|launches\.json|dot|journal))");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_match(file.begin(), file.end(), match, names)) return std::nullopt;
  return file.substr(0, static_cast<std::size_t>(match.length(1)));
}

std::string new_process_prefix() {
  return fmt::format("{}-{:08x}-", ::getpid(), std::random_device()());
}

bool has_plain_names(const std::string& folder) { return files_in(folder).contains(""); }

bool is_of_before(std::string_view name) {
  constexpr std::string_view begin = "before-";
  return name.size() > begin.size() && name.starts_with(begin) &&
         name.find_first_not_of("0123456789", begin.size()) == std::string_view::npos;
}

std::string set_aside(const std::string& folder, const std::timespec& began) {
  auto files = files_in(folder);
  std::erase_if(files, [&](const auto& of) {
    const auto& [process, names] = of;
    if (process.empty()) return false;
    const fs::path in = folder;
    return runs(process) || is_written((in / (process + recorder::run_journal)).string()) ||
           !std::all_of(names.begin(), names.end(),
                        [&](const std::string& name) { return is_older(in / name, began); });
  });
  if (files.empty()) return {};
  std::string aside;
  for (unsigned number = 1;; ++number) {
    aside = fmt::format("before-{}", number);
    if (::mkdir((fs::path(folder) / aside).c_str(), 0777) == 0) break;
    if (errno != EEXIST) fail(folder, std::strerror(errno));
  }
  for (const auto& [process, names] : files)
    for (const std::string& name : names) {
      std::error_code error;
      fs::rename(fs::path(folder) / name, fs::path(folder) / aside / name, error);
      if (error) fail(folder, error.message());
    }
  return aside;
}

}  // namespace pianola::journal
