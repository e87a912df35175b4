// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/explain/report.hpp>

#include "options.hpp"
#include "planned_graph.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

namespace {

struct explain_request {
  std::string graph, plan, topology, output;
  std::string edge;
  std::optional<std::uint64_t> transfer;
  std::optional<std::uint32_t> node;
  bool json = false;
  std::size_t limit = 400;
  std::uint64_t effort = planner::explainer::usual_effort;
};

// "3:17"; command_id's own largest value names none.
std::pair<model::command_id, model::command_id> commands_of(const std::string& edge) {
  const auto number = [&](std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw model::user_error(
          model::error_code::invalid,
          "--edge takes two commands, such as 3:17, and not '" + formats::one_line(edge, 40) + "'");
    return model::command_id(value);
  };
  const std::size_t colon = edge.find(':');
  const std::string_view all = edge;
  if (colon == std::string::npos) return {number("-"), {}};
  return {number(all.substr(0, colon)), number(all.substr(colon + 1))};
}

template <class Explanation>
std::string written(const explain_request& request, const Explanation& e,
                    const planner::explainer& of) {
  return request.json ? planner::to_json(e, of) : planner::to_text(e, of, request.limit);
}

int explain(const explain_request& request) {
  const planned_graph p = open_planned(request.graph, request.plan, request.topology);
  const planner::graph_view graph = p.view();
  const planner::explainer of(graph, p.plan, p.machine, request.effort, p.planned_here);
  std::string text;
  if (!request.edge.empty()) {
    const auto [from, to] = commands_of(request.edge);
    text = written(request, of.edge(from, to), of);
  } else if (request.transfer) {
    text = written(request, of.transfer(model::step_id(*request.transfer)), of);
  } else if (request.node) {
    text = written(request, of.command(model::command_id(*request.node)), of);
  } else {
    text = request.json ? planner::summary_json(of) : planner::summary_text(of, request.limit);
  }
  put_out(request.output, text);
  return exit_good;
}

}  // namespace

void add_explain(CLI::App& app, int& code) {
  auto request = std::make_shared<explain_request>();
  CLI::App* explain_command = app.add_subcommand(
      "explain", "Tell why a transfer is made or a command waits, and what would remove that");
  add_graph(*explain_command, request->graph, request->plan, request->topology);
  auto* edge = explain_command
                   ->add_option("--edge", request->edge,
                                "Two commands, by their numbers: the second waits for "
                                "the first")
                   ->type_name("A:B");
  auto* transfer =
      explain_command
          ->add_option("--transfer", request->transfer, "A transfer, by the number of its step")
          ->excludes(edge);
  explain_command->add_option("--node", request->node, "A command, by its number")
      ->excludes(edge)
      ->excludes(transfer);
  add_effort(*explain_command, request->effort);
  add_output(*explain_command, request->output, request->json, "pianola.explanation/1");
  add_limit(*explain_command, request->limit, "Entries of each kind to show at most; 0: all");
  explain_command->footer(
      "Without --edge, --transfer and --node it lists what can be asked for. Changes that would "
      "help "
      "are tried\nby planning again, and told with what they gain.\n\nExamples:\n"
      "  pianola explain graph-0.graph.json\n"
      "  pianola explain graph-0.graph.json graph-0.plan.json --transfer 17\n"
      "  pianola explain graph-0.graph.json --edge 3:5 --json");
  explain_command->callback([request, &code] { code = explain(*request); });
}

}  // namespace pianola::tool
