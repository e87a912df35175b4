// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/run_folder.hpp"

#include <filesystem>
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

}  // namespace pianola::recorder
