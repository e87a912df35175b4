// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/planner/explain/report.hpp>

#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/planned_graph.hpp"
#include "inputs/recording_folder.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

struct advise_request {
  std::string graph, plan, topology, output;
  bool json = false;
  std::size_t limit = 20;
  std::uint64_t effort = planner::explainer::usual_effort;
};

struct advised {
  planned_graph planned;
  planner::advice_list list;
};

advised advised_of(const advise_request& request, const std::string& graph,
                   const std::string& plan) {
  advised a{open_planned(graph, plan, request.topology, kernel_costs::as_recorded), {}};
  begin_stage("trying changes");
  const planner::graph_view view = a.planned.view();
  a.list = planner::advise(view, a.planned.plan, a.planned.machine, request.effort,
                           a.planned.planned_here);
  return a;
}

// How often each graph was replayed in the runs: replays have the names of their graphs' files.
std::map<std::string, std::uint64_t> replays_in(const std::vector<advised>& all) {
  std::map<std::string, std::uint64_t> counts;
  for (const advised& a : all)
    for (const model::command& c : a.planned.view().commands())
      if (std::holds_alternative<model::subgraph_command>(c.payload)) ++counts[c.label];
  return counts;
}

// Everything that was recorded, the largest gain of all its replays first.
std::string advise_on_folder(const advise_request& request,
                             const std::vector<recorded_file>& files) {
  std::vector<advised> all;
  for (const recorded_file& f : files)
    all.push_back(advised_of(request, f.graph, request.topology.empty() ? f.plan : ""));
  const std::map<std::string, std::uint64_t> replays = replays_in(all);
  std::vector<std::uint64_t> runs;
  std::vector<double> gain;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found = replays.find(files[i].name);
    runs.push_back(found == replays.end() ? 1 : found->second);
    const auto& entries = all[i].list.entries;
    const double saved =
        entries.empty() ? 0 : entries[0].tried.before.seconds - entries[0].tried.after.seconds;
    gain.push_back(saved * static_cast<double>(runs[i]));
    order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return gain[a] != gain[b] ? gain[a] > gain[b] : a < b;
  });
  std::string text;
  for (const std::size_t i : order) {
    const planner::graph_view view = all[i].planned.view();
    const planner::advised_recording recording{files[i].name, runs[i]};
    if (request.json) {
      text +=
          (text.empty() ? "[\n" : ",\n") + planner::to_json(all[i].list, view, all[i].planned.plan,
                                                            all[i].planned.machine, &recording);
      continue;
    }
    const bool replayed = replays.count(files[i].name) != 0;
    text +=
        formats::one_line(files[i].name) +
        (replayed ? fmt::format(", replayed {} time{}", runs[i], runs[i] == 1 ? "" : "s") : "") +
        ":\n" +
        planner::to_text(all[i].list, view, all[i].planned.plan, all[i].planned.machine,
                         request.limit, runs[i]);
  }
  return request.json ? text + "]\n" : text;
}

int advise(const advise_request& request) {
  const auto put = [&](const std::string& text) {
    if (request.json)
      put_out(request.output, text);
    else
      put_out_report(request.output, text);
  };
  std::error_code error;
  if (request.plan.empty() && std::filesystem::is_directory(request.graph, error)) {
    const std::vector<recorded_file> files = recordings_in(request.graph);
    if (files.size() > 1) {
      put(advise_on_folder(request, files));
      return exit_good;
    }
  }
  const advised a = advised_of(request, request.graph, request.plan);
  const planner::graph_view graph = a.planned.view();
  put(request.json
          ? planner::to_json(a.list, graph, a.planned.plan, a.planned.machine)
          : planner::to_text(a.list, graph, a.planned.plan, a.planned.machine, request.limit));
  return exit_good;
}

}  // namespace

void add_advise(CLI::App& app, int& code) {
  auto request = std::make_shared<advise_request>();
  CLI::App* command = app.add_subcommand(
      "advise", "List what a program could do without: transfers and waits, by estimated time");
  add_graph(*command, request->graph, request->plan, request->topology);
  add_effort(*command, request->effort);
  add_output(*command, request->output, request->json, "pianola.advice/1");
  add_limit(*command, request->limit, "Entries to show at most; 0: all");
  command->footer(
      "Each change was tried by planning again; those that gain nothing are not "
      "told. Of a folder\neverything that was recorded is looked at, graphs by how often they were "
      "replayed.\n\nExamples:\n"
      "  pianola advise recorded\n"
      "  pianola advise graph-0.graph.json\n"
      "  pianola advise eager.graph.json eager.plan.json --json -o advice.json");
  command->callback([request, &code] { code = advise(*request); });
}

}  // namespace pianola::tool
