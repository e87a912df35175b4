// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/placement.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/machine.hpp"
#include "inputs/opened_graph.hpp"
#include "inputs/parts.hpp"
#include "inputs/planned_from.hpp"
#include "inputs/right_plan.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

// Whether kernels run in parts on several devices: where the graph comes to less then by the objective, or wherever they can.
enum class splitting : std::uint8_t { never, where_it_pays, always };

struct plan_request {
  std::string graph;
  std::string topology;  // empty: the graph's
  std::string output;    // empty: standard output
  planner::options options;
  splitting split = splitting::never;
};

planner::chosen_placement placed(const planner::graph_view& graph, const model::topology& machine,
                                 const planner::options& options) {
  return planner::choose_placement(graph.commands(), graph.buffers(), machine, options);
}

// As `finalize` of a graph that is placed anywhere: the graph in parts if that is asked for, or comes to less. Chooses where
// its commands run, too.
std::optional<graph_in_parts> parts_for(const plan_request& request,
                                        const recorder::command_graph& whole,
                                        const model::topology& machine,
                                        const planner::options& options,
                                        planner::chosen_placement& chosen) {
  std::optional<graph_in_parts> parts = in_parts(whole, machine);
  if (!parts) {
    std::fprintf(stderr,
                 "pianola: no kernel can be cut: of none that may run on several devices of the "
                 "same code is known what its work-items touch; the graph is planned whole\n");
  } else {
    chosen = placed(view_of(*parts, whole), machine, options);
    if (request.split == splitting::always) return parts;
  }
  planner::chosen_placement uncut = placed(whole, machine, options);
  if (parts && planner::better(options.objective, chosen.figures, uncut.figures)) return parts;
  chosen = std::move(uncut);
  return std::nullopt;
}

struct made_plan {
  std::optional<graph_in_parts> parts;
  planner::plan plan;
};

made_plan made_of(const plan_request& request, const recorder::command_graph& whole,
                  const model::topology& machine) {
  planner::options options = request.options;
  options.buffer_name = [&whole](model::buffer_id b) {
    const std::string label = b.value() < whole.buffers().size() ? whole.buffer_label(b) : "";
    return label.empty() ? fmt::format("buffer {}", b.value())
                         : "buffer '" + formats::one_line(label, 48) + "'";
  };
  made_plan made;
  planner::chosen_placement chosen;
  if (request.split != splitting::never) {
    // Who asks for parts asks for other devices than those of the queues.
    if (options.place == planner::placing::as_submitted) options.place = planner::placing::anywhere;
    made.parts = parts_for(request, whole, machine, options, chosen);
    options.chosen = &chosen;
  }
  const planner::graph_view graph =
      made.parts ? view_of(*made.parts, whole) : planner::graph_view(whole);
  made.plan = planner::make_plan(graph.commands(), graph.buffers(), machine, options);
  return made;
}

int plan(const plan_request& request) {
  const recorder::loaded_graph loaded = open_graph(request.graph).loaded;
  const model::topology machine = machine_for(loaded, request.topology);
  begin_stage("planning");
  made_plan made = planned_from(request.graph, request.topology,
                                [&] { return made_of(request, loaded.graph, machine); });
  const planner::graph_view graph =
      made.parts ? view_of(*made.parts, loaded.graph) : planner::graph_view(loaded.graph);
  made.plan.graph_hash = graph.structural_hash();
  std::optional<planner::cut_graph> cut;
  if (made.parts) cut = planner::cut_graph{loaded.graph.structural_hash(), made.parts->speeds};
  // Only what is right is put out, but its text is made meanwhile.
  std::future<std::string> text = std::async(std::launch::async, [&] {
    return planner::to_json(made.plan, graph, &machine, cut ? &*cut : nullptr);
  });
  if (!is_right(graph, made.plan, machine)) return exit_violation;
  put_out(request.output, text.get());
  return exit_good;
}

const std::map<std::string, planner::objective> objectives = {
    {"makespan", planner::objective::makespan},
    {"bytes", planner::objective::bytes},
    {"memory", planner::objective::memory}};
const std::map<std::string, planner::placing> placings = {
    {"as_submitted", planner::placing::as_submitted},
    {"anywhere", planner::placing::anywhere},
    {"list", planner::placing::list_scheduling},
    {"heft", planner::placing::heft},
    {"exact", planner::placing::exact},
    {"refined", planner::placing::refined}};

const std::map<std::string, splitting> splittings = {{"never", splitting::never},
                                                     {"where_it_pays", splitting::where_it_pays},
                                                     {"always", splitting::always}};

}  // namespace

void add_plan(CLI::App& app, int& code) {
  auto request = std::make_shared<plan_request>();
  CLI::App* command =
      app.add_subcommand("plan", "Plan a graph, also for a machine that is not here");
  command->add_option("graph", request->graph, "File of format pianola.graph/1")
      ->required()
      ->check(a_name());
  command->add_option("--topology", request->topology, of_machine)->check(a_name());
  command->add_option("--objective", request->options.objective, "What is to be small")
      ->transform(one_of(objectives))
      ->type_name("makespan|bytes|memory");
  command
      ->add_option("--place", request->options.place,
                   "Who decides where commands run that may run on several devices")
      ->transform(one_of(placings))
      ->type_name("as_submitted|anywhere|list|heft|exact|refined");
  command
      ->add_flag("--split{always}", request->split,
                 "Kernels whose accesses are known run in parts on several devices: where they can "
                 "(always, if nothing is said), or where_it_pays by the objective; commands are "
                 "placed anywhere then, unless --place says otherwise")
      ->transform(one_of(splittings))
      ->type_name("never|where_it_pays|always");
  command
      ->add_option("--memory-budget", request->options.memory_budget,
                   "What the plan may need of each device's memory, if not all that there is: what "
                   "the program gives property::graph::memory_budget")
      ->transform(a_size())
      ->type_name("BYTES|64MiB");
  add_output_file(*command, request->output);
  add_json_anyway(*command, "pianola.plan/1");
  command->footer(
      "Examples:\n  pianola plan graph-0.graph.json -o graph-0.plan.json\n"
      "  pianola plan graph-0.graph.json --topology machine.json --place anywhere\n"
      "  pianola plan graph-0.graph.json --memory-budget 64MiB -o graph-0.plan.json");
  command->callback([request, &code] { code = plan(*request); });
}

}  // namespace pianola::tool
