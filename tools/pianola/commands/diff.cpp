// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/compare/difference.hpp>

#include "command_line/limit_of_figure.hpp"
#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/planned_graph.hpp"
#include "inputs/recording_folder.hpp"
#include "outputs/print.hpp"

namespace pianola::tool {

namespace {

struct diff_request {
  std::string a, b, plan_a, plan_b, topology, output;
  std::vector<std::string> limits;
  bool json = false;
  std::size_t limit = 100;
};

double measured_in(const planned_graph& g) {
  double seconds = 0;
  for (std::uint32_t i = 0; i < g.graph.size(); ++i) seconds += g.measured.of(model::command_id(i));
  return seconds;
}

planned_graph opened(const std::string& graph, const std::string& plan,
                     const std::string& topology) {
  planned_graph p = open_planned(graph, plan, topology);
  require_right(p, plan.empty() ? graph : plan);
  return p;
}

// Two graphs with their plans, and what is different about them.
class compared_files {
 public:
  compared_files(const recorded_file& a, const recorded_file& b, const std::string& topology)
      // Side by side: reading is most of the time.
      : other_(std::async(std::launch::async, [&] { return opened(b.graph, b.plan, topology); })),
        a_(opened(a.graph, a.plan, topology)),
        b_(other_.get()),
        in_a_(a_.view()),
        in_b_(b_.view()),
        difference_(planner::difference_of(first(), second())) {}
  compared_files(const compared_files&) = delete;
  compared_files& operator=(const compared_files&) = delete;

  [[nodiscard]] const planner::graph_difference& difference() const { return difference_; }
  // `recording`: as planner::to_json has it.
  [[nodiscard]] std::string text(const diff_request& request,
                                 const std::string& recording = {}) const {
    return request.json ? planner::to_json(difference_, first(), second(), recording)
                        : planner::to_text(difference_, first(), second(), request.limit);
  }

 private:
  [[nodiscard]] planner::compared_graph first() const {
    return {in_a_, a_.plan, a_.machine, measured_in(a_)};
  }
  [[nodiscard]] planner::compared_graph second() const {
    return {in_b_, b_.plan, b_.machine, measured_in(b_)};
  }
  std::future<planned_graph> other_;
  planned_graph a_, b_;
  planner::graph_view in_a_, in_b_;
  planner::graph_difference difference_;
};

void add(planner::graph_figures& sum, const planner::graph_figures& f) {
  sum.commands += f.commands;
  sum.edges += f.edges;
  sum.transfers += f.transfers;
  sum.bytes += f.bytes;
  sum.seconds += f.seconds;
  sum.measured += f.measured;
}

struct figures_of_both {
  planner::graph_figures a, b;
  std::string text;
};

// Everything that two runs of a program have recorded, by its names.
figures_of_both diff_folders(const diff_request& request) {
  if (!request.plan_a.empty() || !request.plan_b.empty())
    throw model::user_error(model::error_code::invalid,
                            "diff: --plan-a and --plan-b are of one graph, and these are folders");
  const auto recordings = [&](const std::string& folder) {
    std::vector<recorded_file> all = recordings_in(folder);
    // For another machine everything is planned anew.
    if (!request.topology.empty())
      for (recorded_file& f : all) f.plan.clear();
    return all;
  };
  const std::vector<recorded_file> in_a = recordings(request.a), in_b = recordings(request.b);
  figures_of_both both;
  std::string& text = both.text;
  // One graph each, of one name, is compared as two files are.
  const bool several = in_a.size() > 1 || in_b.size() > 1 || in_a[0].name != in_b[0].name;
  bool any = false;
  const auto separate = [&] {
    if (request.json && several) text += any ? ",\n" : "[\n";
    any = true;
  };
  const auto alone = [&](const recorded_file& f, const char* where) {
    planned_graph p = opened(f.graph, f.plan, request.topology);
    const planner::graph_view view = p.view();
    const planner::compared_graph it{view, p.plan, p.machine, measured_in(p)};
    const planner::graph_figures figures = planner::difference_of(it, it).a;
    const bool in_first = *where == 'a';
    add(in_first ? both.a : both.b, figures);
    separate();
    if (request.json)
      text += planner::only_in_json(figures, it, in_first, f.name);
    else
      text += fmt::format("{}: only in {}, {} commands, {} transfers\n", formats::one_line(f.name),
                          where, figures.commands, figures.transfers);
  };
  for (const recorded_file& a : in_a) {
    const auto b = std::find_if(in_b.begin(), in_b.end(),
                                [&](const recorded_file& f) { return f.name == a.name; });
    if (b == in_b.end()) {
      alone(a, "a");
      continue;
    }
    const compared_files compared(a, *b, request.topology);
    add(both.a, compared.difference().a);
    add(both.b, compared.difference().b);
    separate();
    if (!request.json && several) text += formats::one_line(a.name) + ":\n";
    text += compared.text(request, several ? a.name : std::string());
  }
  for (const recorded_file& b : in_b)
    if (std::none_of(in_a.begin(), in_a.end(),
                     [&](const recorded_file& f) { return f.name == b.name; }))
      alone(b, "b");
  if (request.json && several) text += "]\n";
  return both;
}

figures_of_both diff_files(const diff_request& request) {
  const compared_files compared({"", request.a, request.plan_a}, {"", request.b, request.plan_b},
                                request.topology);
  return {compared.difference().a, compared.difference().b, compared.text(request)};
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

int diff(const diff_request& request) {
  std::vector<limit_of_figure> limits;
  for (const std::string& l : request.limits) limits.push_back(limit_of_figure::read(l));
  const figures_of_both both =
      is_folder(request.a) && is_folder(request.b) ? diff_folders(request) : diff_files(request);
  put_out(request.output, both.text);
  bool failed = false;
  for (const limit_of_figure& l : limits)
    if (const std::string what = l.violation(both.a, both.b); !what.empty()) {
      std::fprintf(stderr, "pianola: %s\n", what.c_str());
      failed = true;
    }
  return failed ? exit_violation : exit_good;
}

}  // namespace

void add_diff(CLI::App& app, int& code) {
  auto request = std::make_shared<diff_request>();
  CLI::App* command = app.add_subcommand(
      "diff",
      "Compare two graphs, or all of two recordings: commands, edges, transfers, bytes and times "
      "gained and lost");
  command
      ->add_option(
          "a", request->a,
          "File of format pianola.graph/1 or pianola.executable/4, a journal, or the folder "
          "of a recording")
      ->required()
      ->check(a_name());
  command->add_option("b", request->b, "The same, of the changed program")
      ->required()
      ->check(a_name());
  command
      ->add_option("--plan-a", request->plan_a,
                   "File of format pianola.plan/1 for a; without it a is planned here")
      ->check(a_name());
  command->add_option("--plan-b", request->plan_b, "The same for b")->check(a_name());
  command->add_option("--topology", request->topology, of_machine)->check(a_name());
  command
      ->add_option("--fail-on", request->limits,
                   "Exit with 1 if a figure of b is too large: commands, edges, transfers, bytes, "
                   "seconds or\nmeasured, '>', and a number or, compared with a, +N or +N%")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  add_output(*command, request->output, request->json, "pianola.difference/1");
  add_limit(*command, request->limit, "Entries of each kind to show at most; 0: all");
  command->footer(
      "Commands are matched by what they do and by their order, whatever their numbers and names.\n"
      "Of two folders all that was recorded is compared, by its name; --fail-on is about the "
      "sums.\n"
      "Exit codes: 0, 1 if a condition of --fail-on holds, 2 for bad input.\n\nExamples:\n"
      "  pianola diff before/graph-0.graph.json after/graph-0.graph.json\n"
      "  pianola diff before after --fail-on 'transfers>+0'\n"
      "  pianola diff old.json new.json --fail-on 'bytes>+5%' --fail-on 'transfers>+0'");
  command->callback([request, &code] { code = diff(*request); });
}

}  // namespace pianola::tool
