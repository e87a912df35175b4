// SPDX-License-Identifier: Apache-2.0
#include "inputs/recording_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <tuple>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "inputs/opened_graph.hpp"

namespace pianola::tool {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view graph_ending = ".graph.json";
constexpr std::string_view journal_ending = ".journal";

// Shorter numbers are smaller: graph-9 comes before graph-10.
bool by_name(const recorded_file& a, const recorded_file& b) {
  const auto words = [](const recorded_file& f) {
    return f.name.substr(0, f.name.find_last_not_of("0123456789") + 1);
  };
  return std::forward_as_tuple(words(a), a.name.size(), a.name) <
         std::forward_as_tuple(words(b), b.name.size(), b.name);
}

}  // namespace

std::vector<recorded_file> find_recordings(const std::string& folder) {
  std::vector<recorded_file> found;
  std::error_code error;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, error)) {
    const std::string file = e.path().filename().string();
    if (!file.ends_with(graph_ending)) continue;
    const std::string name = file.substr(0, file.size() - graph_ending.size());
    const fs::path plan = e.path().parent_path() / (name + ".plan.json");
    std::error_code missing;
    found.push_back({name, e.path().string(), fs::exists(plan, missing) ? plan.string() : ""});
  }
  for (const std::string& journal : journals_in(folder)) {
    std::string name = fs::path(journal).filename().string();
    name.resize(name.size() - journal_ending.size());
    // What the journal became is the same again; what is older than it is another run's.
    const auto same =
        std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.name == name; });
    if (same == found.end())
      found.push_back({name, journal, ""});
    else if (recorder::is_newer(journal, same->graph))
      *same = {name, journal, ""};
  }
  std::sort(found.begin(), found.end(), by_name);
  return found;
}

std::vector<recorded_file> recordings_in(const std::string& folder) {
  std::vector<recorded_file> found = find_recordings(folder);
  if (found.empty())
    throw model::user_error(model::error_code::invalid,
                            formats::one_line(folder) + ": there is no recording in this folder");
  return found;
}

}  // namespace pianola::tool
