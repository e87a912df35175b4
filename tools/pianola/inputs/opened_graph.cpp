// SPDX-License-Identifier: Apache-2.0
#include "inputs/opened_graph.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <pianola/executable/file.hpp>
#include <pianola/formats/file_bytes.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/journal/file.hpp>
#include <pianola/journal/run.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/run_folder.hpp>

#include "outputs/stages.hpp"

namespace pianola::tool {

namespace fs = std::filesystem;

namespace {

journal::recorded_run read_journal(const std::string& path, bool damaged_too = false) {
  journal::recorded_run run = journal::read_run(path);
  if (run.damaged_at != 0) {
    const std::string where =
        fmt::format("{}: is damaged at byte {}", formats::one_line(path), run.damaged_at);
    if (run.graph.size() == 0)
      throw model::user_error(model::error_code::invalid, where + ", before any command");
    if (!damaged_too)
      throw model::user_error(
          model::error_code::invalid,
          fmt::format("{}, and nobody knows what was there; 'pianola record --recover -o FOLDER' "
                      "makes files of the {} commands before",
                      where, run.graph.size()));
    end_stages();
    std::fprintf(stderr, "pianola: %s; these are the %zu commands before; the journal stays\n",
                 where.c_str(), run.graph.size());
  } else if (run.cut_off) {
    end_stages();
    std::fprintf(stderr, "pianola: %s: the last block is cut off; this is what was there before\n",
                 formats::one_line(path).c_str());
  }
  return run;
}

opened_graph open_folder(const fs::path& folder) {
  switch (recorder::latest_run(folder, recorder::run_graph)) {
    case recorder::run_source::file: {
      opened_graph g{recorder::load_graph(folder / recorder::run_graph), std::nullopt};
      std::error_code error;
      if (const fs::path plan = folder / recorder::run_plan; fs::exists(plan, error))
        g.plan = planner::load_plan(plan, planner::graph_view(g.loaded.graph), g.loaded.topology);
      return g;
    }
    case recorder::run_source::journal:
      return open_journal(folder / recorder::run_journal);
    case recorder::run_source::nowhere:
      break;
  }
  throw model::user_error(
      model::error_code::invalid,
      formats::one_line(folder.string()) +
          ": the folder holds no eager.graph.json and no eager.journal; name a file in it");
}

}  // namespace

opened_graph open_journal(const std::string& path) {
  journal::recorded_run run = read_journal(path);
  return {{std::move(run.graph), std::move(run.topology), std::move(run.measured)},
          std::move(run.plan)};
}

opened_graph open_graph(const std::string& name) {
  const std::string path = recorder::file_or_journal(name);
  begin_stage("reading " + path);
  std::error_code error;
  if (fs::is_directory(path, error)) return open_folder(path);
  if (journal::is_journal(path)) return open_journal(path);
  const auto refuse = [&](const char* what) {
    throw model::user_error(model::error_code::invalid,
                            fmt::format("{}: {}", formats::one_line(path), what));
  };
  constexpr std::string_view any_journal = "pianola.journal/";
  if (formats::file_head(path, any_journal.size()) == any_journal)
    refuse("is a journal of another version than this program reads");
  if (executable::is_executable(formats::file_head(path, executable::head_bytes)))
    refuse(
        "is an executable graph, which has its plan; show, view, verify, explain, advise and diff "
        "take it");
  if (is_plan(path)) refuse("is a plan; name its graph before it");
  return {recorder::load_graph(path), std::nullopt};
}

bool is_plan(const std::string& path) {
  constexpr std::size_t enough = 64;
  return formats::file_head(path, enough).find("\"pianola.plan/") != std::string::npos;
}

std::vector<std::string> files_for_graph(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {recorder::file_or_journal(path)};
  std::vector<std::string> files;
  for (const char* const name : {recorder::run_graph, recorder::run_plan, recorder::run_journal})
    files.push_back((fs::path(path) / name).string());
  return files;
}

std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, error))
    if (e.path().filename().string().ends_with(recorder::run_journal) && e.is_regular_file(error))
      found.push_back(e.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

bool recover(const std::string& path) {
  if (journal::is_written(path)) return false;
  const journal::recorded_run run = read_journal(path, true);
  const std::string base = path.substr(0, path.size() - std::string(".journal").size());
  journal::write_files(run, base);
  std::error_code error;
  if (run.damaged_at == 0) fs::remove(path, error);
  return true;
}

}  // namespace pianola::tool
