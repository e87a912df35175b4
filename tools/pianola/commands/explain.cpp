// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/explain/report.hpp>
#include <pianola/planner/stored_bodies.hpp>
#include <pianola/planner/text.hpp>

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

bool is_repeated(const model::command& c) {
  const model::control_kind how = std::get<model::subgraph_command>(c.payload).control;
  return how == model::control_kind::loop || how == model::control_kind::repeat;
}

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

// Calls f with each graph of a command, what its plan moves, and how the command runs it.
template <class F>
void for_each_body(const planner::graph_view& graph,
                   const std::vector<planner::graph_of_command>& bodies, const F& f) {
  std::size_t which = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const planner::graph_of_command& b = bodies[i];
    which = i != 0 && bodies[i - 1].command == b.command ? which + 1 : 0;
    const model::command& c = graph.commands()[b.command];
    planner::explained_body told;
    told.command = b.command;
    told.how = planner::title_of_graph(std::get<model::subgraph_command>(c.payload), which);
    told.in_each_iteration = is_repeated(c);
    for (const planner::step& s : b.how->steps)
      if (const auto* t = std::get_if<planner::transfer_step>(&s.action)) {
        ++told.transfers;
        told.bytes += t->elements.count() * b.graph.buffers()[t->buffer.value()].element_size;
      }
    f(b, c, told);
  }
}

// What graphs of commands move: of a loop, in each iteration.
std::string explained_bodies(const explain_request& request, const planner::graph_view& graph,
                             const std::vector<planner::graph_of_command>& bodies,
                             const model::topology& machine) {
  std::string text;
  for_each_body(graph, bodies, [&](const auto& b, const model::command& c, const auto& told) {
    if (told.transfers != 0) {
      text +=
          fmt::format("command {} '{}' runs a graph, {}, which moves {} in {} transfer{}{}:\n",
                      b.command, formats::one_line(formats::full_name(c), 80), told.how,
                      formats::bytes(told.bytes), told.transfers, told.transfers == 1 ? "" : "s",
                      told.in_each_iteration ? " in each iteration" : "");
      const planner::explainer of(b.graph, *b.how, machine, request.effort, false);
      text += explained_text(std::monostate(), of, request.limit);
    }
    text += explained_bodies(request, b.graph, b.inner, machine);
  });
  return text;
}

std::string summary_with_bodies(const explain_request& request, const planner::explainer& of,
                                const std::vector<planner::graph_of_command>& bodies) {
  std::vector<planner::explained_body> all;
  for_each_body(of.graph(), bodies, [&](const auto& b, const model::command&, auto& told) {
    const planner::explainer of_body(b.graph, *b.how, of.machine(), request.effort, false);
    told.json = summary_with_bodies(request, of_body, b.inner);
    all.push_back(std::move(told));
  });
  return planner::summary_json(of, all);
}

int explain(const explain_request& request) {
  const planned_graph p =
      open_planned(request.graph, request.plan, request.topology, kernel_costs::as_recorded);
  const planner::graph_view graph = p.view();
  const planner::explainer of(graph, p.plan, p.machine, request.effort, p.planned_here);
  const question asked = asked_by(request);
  begin_stage("trying changes");
  // The plans of graphs that commands run are for the machine of the recording.
  std::optional<planner::stored_bodies> bodies;
  if (std::holds_alternative<std::monostate>(asked) && request.topology.empty())
    bodies.emplace(p.graph, p.machine, formats::one_line(request.graph));
  if (request.json) {
    put_out(request.output,
            bodies ? summary_with_bodies(request, of, bodies->all()) : explained_json(asked, of));
    return exit_good;
  }
  std::string text = explained_text(asked, of, request.limit);
  if (bodies)
    text += explained_bodies(request, planner::graph_view(p.graph), bodies->all(), p.machine);
  put_out_report(request.output, text);
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
      ->check(a_command())
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
