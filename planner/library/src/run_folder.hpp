// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/journal/file.hpp>
#include <pianola/journal/run.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "guard.hpp"

namespace pianola::planning::detail {

struct run_file {
  std::string path;
  bool is_journal = false;  // else it is the file of the name that was asked for
};

// The file itself, or the journal that would become it; of a folder that holds the recording of a run, the one of this name
// in it, or the journal if that is newer. Throws planning::error if there is none.
[[nodiscard]] inline run_file file_of_run(const std::string& of, const char* name) {
  namespace fs = std::filesystem;
  const std::string path = recorder::file_or_journal(of);
  std::error_code error;
  if (!fs::is_directory(path, error))
    return {path, guarded([&] { return journal::is_journal(path); })};
  switch (recorder::latest_run(path, name)) {
    case recorder::run_source::journal:
      return {(fs::path(path) / recorder::run_journal).string(), true};
    case recorder::run_source::nowhere:
      refuse(fmt::format("{}: the folder holds no {}; name a file in it", formats::one_line(path),
                         name));
    case recorder::run_source::file:
      break;
  }
  return {(fs::path(path) / name).string()};
}

// What a program submitted, also one that was killed: without its last block, if that is cut off. Throws planning::error if
// the journal is damaged.
[[nodiscard]] inline journal::recorded_run run_of(const std::string& path) {
  journal::recorded_run run = guarded([&] { return journal::read_run(path); });
  if (run.damaged_at != 0)
    refuse(
        fmt::format("{}: is damaged at byte {}; 'pianola record --recover' makes files of what "
                    "is before",
                    formats::one_line(path), run.damaged_at));
  return run;
}

}  // namespace pianola::planning::detail
