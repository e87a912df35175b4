// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "guard.hpp"

namespace pianola::planning::detail {

// The file itself; of a folder that holds the recording of a run, the one of this name in it. Throws planning::error if
// there is none, or if the run is in a journal, which only the `pianola` program reads.
[[nodiscard]] inline std::string file_of_run(const std::string& path, const char* name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  const fs::path file = fs::path(path) / name, journal = fs::path(path) / "eager.journal";
  const bool there = fs::exists(file, error);
  std::error_code no_journal;
  const auto written = fs::last_write_time(journal, no_journal);
  if (!no_journal && (!there || written > fs::last_write_time(file, error)))
    refuse(fmt::format(
        "{0}: the run is in a journal; make files of it: pianola record --recover -o {0}",
        formats::one_line(path)));
  if (!there)
    refuse(fmt::format("{}: the folder holds no {}; name a file in it", formats::one_line(path),
                       name));
  return file.string();
}

}  // namespace pianola::planning::detail
