// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/check/check.hpp>

#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/opened_graph.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

struct check_request {
  std::string graph;
  std::string output;
  bool json = false;
  bool suspicions = false;
  std::size_t limit = 100;
};

// A file, or the files of a folder: graphs, and journals that nobody has turned into graphs.
std::vector<std::string> files_of(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(name, error)) return {name};
  std::vector<std::string> files = journals_in(name);
  for (const fs::directory_entry& e : fs::directory_iterator(name, error))
    if (e.path().filename().string().ends_with(".graph.json")) files.push_back(e.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw model::user_error(model::error_code::invalid,
                            formats::one_line(name) + ": there is no recording in this folder");
  return files;
}

std::string not_looked_at(std::size_t kernels, bool suspicions) {
  return fmt::format(
      "{} {} looked at{}, as it is not recorded what {}: `pianola record --facts` records that of "
      "kernels that pianolacc compiled\n",
      kernels == 1 ? "1 kernel that uses USM" : fmt::format("{} kernels that use USM", kernels),
      kernels == 1 ? "was not" : "were not", suspicions ? " for certain" : "",
      kernels == 1 ? "it touches" : "they touch");
}

int check(const check_request& request) {
  const std::vector<std::string> files = files_of(request.graph);
  const bool several = files.size() > 1;
  std::string text;
  std::size_t findings = 0, not_known = 0;
  for (const std::string& file : files) {
    const opened_graph opened = open_graph(file);
    begin_stage("looking for mistakes in " + file);
    const planner::graph_view graph(opened.loaded.graph);
    const std::vector<planner::finding> found =
        planner::check(graph, opened.loaded.graph.usm_accesses(), {request.suspicions});
    const std::size_t kernels =
        planner::kernels_not_known(graph, opened.loaded.graph.usm_accesses());
    findings += found.size();
    not_known += kernels;
    if (request.json) {
      text += (!several                  ? ""
               : &file == &files.front() ? "[\n"
                                         : ",\n") +
              planner::to_json(found, graph, kernels);
    } else {
      if (several && !found.empty()) text += formats::one_line(file) + ":\n";
      text += planner::to_text(found, graph, request.limit);
    }
  }
  if (request.json && several) text += "]\n";
  if (!request.json && findings == 0) text = "nothing found\n";
  if (!request.json && not_known != 0) text += not_looked_at(not_known, request.suspicions);
  if (request.json)
    put_out(request.output, text);
  else
    put_out_report(request.output, text);
  return findings == 0 ? exit_good : exit_violation;
}

}  // namespace

void add_check(CLI::App& app, int& code) {
  auto request = std::make_shared<check_request>();
  CLI::App* command = app.add_subcommand(
      "check", "Find races for USM, uses of what was freed, and reads of what was never written");
  command
      ->add_option("graph", request->graph,
                   "File of format pianola.graph/1, a journal, or the folder of a recording")
      ->required()
      ->check(a_name());
  command->add_flag("--suspicions", request->suspicions,
                    "Also what may be: where it is not known exactly what a kernel touches");
  add_output(*command, request->output, request->json, "pianola.check/1");
  add_limit(*command, request->limit, "Findings to show at most; 0: all");
  command->footer(
      "What kernels touch is known of those that pianolacc compiled, in recorded graphs and in "
      "runs that\n"
      "were recorded with --facts (or PIANOLA_CHECK=1); a line says how many were not looked at.\n"
      "Exit codes: 0, 1 if something is found, 2 for bad input.\n\nExamples:\n"
      "  pianola record --facts -- ./app\n"
      "  pianola check recorded\n"
      "  pianola check graph-0.graph.json --suspicions");
  command->callback([request, &code] { code = check(*request); });
}

}  // namespace pianola::tool
