// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/run_folder.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace pianola::recorder {

namespace fs = std::filesystem;

bool is_newer(const std::string& journal, const std::string& file) {
  std::error_code no_journal, no_file;
  const auto journal_time = fs::last_write_time(journal, no_journal);
  const auto file_time = fs::last_write_time(file, no_file);
  return !no_journal && (no_file || journal_time > file_time);
}

run_source latest_run(const std::string& folder, const char* file) {
  const fs::path in = folder;
  if (is_newer(in / run_journal, in / file)) return run_source::journal;
  std::error_code error;
  return fs::exists(in / file, error) ? run_source::file : run_source::nowhere;
}

std::string file_or_journal(const std::string& path) {
  std::error_code error;
  for (const std::string_view ending : {".graph.json", ".plan.json"}) {
    if (!path.ends_with(ending) || fs::exists(path, error)) continue;
    std::string journal = path.substr(0, path.size() - ending.size()) + ".journal";
    if (fs::is_regular_file(journal, error)) return journal;
  }
  return path;
}

}  // namespace pianola::recorder
