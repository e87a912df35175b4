// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "guard.hpp"

namespace pianola::planning::detail {

// The file itself; of a folder that holds the recording of a run, the one of this name in it. Throws planning::error if
// there is none, or if the run is in a journal, which only the `pianola` program reads.
[[nodiscard]] inline std::string file_of_run(const std::string& path, const char* name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  switch (recorder::latest_run(path, name)) {
    case recorder::run_source::journal:
      refuse(fmt::format(
          "{0}: the run is in a journal; make files of it: pianola record --recover -o {0}",
          formats::one_line(path)));
    case recorder::run_source::nowhere:
      refuse(fmt::format("{}: the folder holds no {}; name a file in it", formats::one_line(path),
                         name));
    case recorder::run_source::file:
      break;
  }
  return (fs::path(path) / name).string();
}

}  // namespace pianola::planning::detail
