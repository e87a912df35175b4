// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "command_line/options.hpp"
#include "command_line/whole_number.hpp"
#include "commands/subcommands.hpp"
#include "inputs/planned_graph.hpp"
#include "outputs/explanation.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"

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
asked_edge edge_of(const std::string& words) {
  const std::string_view all = words;
  const std::size_t colon = std::min(all.find(':'), all.size());
  const auto from = whole_number<std::uint32_t>(all.substr(0, colon));
  const auto to = whole_number<std::uint32_t>(all.substr(std::min(colon + 1, all.size())));
  if (!from || !to)
    throw model::user_error(
        model::error_code::invalid,
        "--edge takes two commands, such as 3:17, and not '" + formats::one_line(words, 40) + "'");
  return {model::command_id(*from), model::command_id(*to)};
}

question asked_by(const explain_request& request) {
  if (!request.edge.empty()) return edge_of(request.edge);
  if (request.transfer) return model::step_id(*request.transfer);
  if (request.node) return model::command_id(*request.node);
  return std::monostate();
}

int explain(const explain_request& request) {
  const planned_graph p =
      open_planned(request.graph, request.plan, request.topology, kernel_costs::as_recorded);
  const planner::graph_view graph = p.view();
  const planner::explainer of(graph, p.plan, p.machine, request.effort, p.planned_here);
  const question asked = asked_by(request);
  begin_stage("trying changes");
  if (request.json)
    put_out(request.output, explained_json(asked, of));
  else
    put_out_report(request.output, explained_text(asked, of, request.limit));
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
          ->check(a_number())
          ->excludes(edge);
  explain_command->add_option("--node", request->node, "A command, by its number")
      ->check(a_number())
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
