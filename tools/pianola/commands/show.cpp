// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/planner/simulate/trace.hpp>
#include <pianola/planner/stored_bodies.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/executable_file.hpp"
#include "inputs/launches.hpp"
#include "inputs/machine.hpp"
#include "inputs/opened_graph.hpp"
#include "inputs/parts.hpp"
#include "inputs/planned_from.hpp"
#include "inputs/planned_graph.hpp"
#include "inputs/right_plan.hpp"
#include "outputs/print.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

namespace {

struct show_request {
  enum class form { text, dot, svg, png, json, trace };
  std::string graph;
  std::string plan;      // empty: the graph alone
  std::string output;    // empty: standard output
  std::string topology;  // empty: the graph's
  std::string launches;  // empty: what recordings have beside the graph, where no plan is named
  form how = form::text;
  // Plan the graph, and show what is known after each pass; as text, without `plan`.
  bool passes = false;
  std::size_t limit = 400;  // commands or steps shown; 0: all
};

// Figures, and what moves over which link.
std::string json_of(const planner::graph_view& graph, const model::topology& machine,
                    const std::optional<planner::plan>& plan) {
  using layout = formats::json_writer::layout;
  formats::json_writer json;
  const auto count = [&json](const char* key, std::uint64_t n) { json.key(key).number(n); };
  json.open_object(layout::lines).key("format").text("pianola.show/1");
  json.key("graph_hash").hexadecimal(graph.structural_hash());
  count("commands", graph.commands().size());
  count("buffers", graph.buffers().size());
  std::uint64_t bytes = 0;
  for (const model::buffer_info& b : graph.buffers()) bytes += b.bytes();
  count("buffer_bytes", bytes);
  count("devices", machine.devices.size());
  if (plan) {
    std::map<std::pair<model::memory_id, model::memory_id>, std::pair<std::uint64_t, std::uint64_t>>
        moved;  // transfers and bytes
    for (const planner::step& s : plan->steps)
      if (const auto* t = std::get_if<planner::transfer_step>(&s.action)) {
        auto& sum = moved[{t->from, t->to}];
        ++sum.first;
        sum.second += t->elements.count() * graph.buffers()[t->buffer.value()].element_size;
      }
    count("steps", plan->steps.size());
    count("lanes", plan->lanes.size());
    json.key("moved").open_array(layout::lines);
    for (const auto& [link, sum] : moved) {
      json.open_object();
      count("from", link.first.value());
      count("to", link.second.value());
      count("transfers", sum.first);
      count("bytes", sum.second);
      json.close();
    }
    json.close().key("memories").open_array(layout::lines);
    for (const planner::memory_use& m : plan->memories) {
      json.open_object();
      count("memory", m.memory.value());
      count("peak", m.peak);
      count("saved", m.saved());
      json.close();
    }
    json.close();
  }
  json.close();
  return json.finish();
}

// Measured, where the recording says when commands ran, in each launch or once, else as the plan is expected to run.
std::string trace_of(const show_request& request, const planner::graph_view& graph,
                     const model::topology& machine, const std::optional<planner::plan>& plan,
                     const recorder::measured_times& times) {
  if (const std::string launches = !request.launches.empty() ? request.launches
                                   : request.plan.empty()    ? launches_beside(request.graph)
                                                             : std::string();
      !launches.empty())
    return planner::to_trace(load_launches(launches, graph), graph, machine);
  if (!times.has_no_starts()) {
    std::vector<planner::measured_span> spans;
    for (std::uint32_t i = 0; i < graph.commands().size(); ++i)
      spans.push_back({times.started(model::command_id(i)), times.of(model::command_id(i))});
    return planner::to_trace(spans, graph, plan ? &*plan : nullptr, machine);
  }
  if (!plan && !times.empty())
    throw model::user_error(
        model::error_code::invalid,
        formats::one_line(request.graph) +
            ": what its commands took was recorded, but not when they began, as of every graph "
            "that "
            "is replayed without property::graph::enable_profiling; name its plan, which is "
            "simulated with these times");
  if (!plan)
    throw model::user_error(model::error_code::invalid,
                            formats::one_line(request.graph) +
                                ": no times were recorded; name a plan, or record with --times");
  return planner::to_trace(planner::simulate(graph, *plan, machine), graph, *plan, machine);
}

std::vector<planner::drawn_body> drawn(const planner::graph_view& graph,
                                       const std::vector<planner::graph_of_command>& bodies) {
  std::vector<planner::drawn_body> all;
  std::size_t which = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const planner::graph_of_command& b = bodies[i];
    which = i != 0 && bodies[i - 1].command == b.command ? which + 1 : 0;
    const auto& what = std::get<model::subgraph_command>(graph.commands()[b.command].payload);
    all.push_back(
        {b.command, planner::title_of_graph(what, which), b.graph, drawn(b.graph, b.inner)});
  }
  return all;
}

std::string rendered(const show_request& request, const planner::graph_view& graph,
                     const model::topology& topology, const std::optional<planner::plan>& plan,
                     const std::vector<planner::graph_of_command>& graphs = {}) {
  if (request.how == show_request::form::text) {
    std::string text = planner::to_text(graph, topology, request.limit);
    if (plan) text += planner::to_text(graph, *plan, topology, request.limit);
    return text + planner::to_text(graph, graphs, topology, request.limit);
  }
  if (request.how == show_request::form::json) return json_of(graph, topology, plan);
  const std::vector<planner::drawn_body> bodies = drawn(graph, graphs);
  planner::dot_options options;
  options.maximum_nodes = request.limit;
  options.bodies = &bodies;
  std::string dot =
      plan ? planner::to_dot(graph, *plan, topology, options) : planner::to_dot(graph, options);
  if (request.how == show_request::form::png) return planner::png_from_dot(dot);
  return request.how == show_request::form::dot ? dot : planner::svg_from_dot(dot);
}

// What commands took when they ran, where the file says so.
std::string measured(const show_request& request, const recorder::loaded_graph& loaded) {
  if (request.how != show_request::form::text || loaded.measured.empty()) return {};
  std::string text = "measured:\n";
  std::size_t shown = 0, left_out = 0;
  for (std::uint32_t i = 0; i < loaded.graph.size(); ++i) {
    const double seconds = loaded.measured.of(model::command_id(i));
    if (seconds == 0) continue;
    if (request.limit != 0 && shown == request.limit) {
      ++left_out;
      continue;
    }
    ++shown;
    const model::command& c = loaded.graph.command(model::command_id(i));
    text += fmt::format("  {}: {} {}\n", i, formats::short_name(formats::full_name(c)),
                        formats::seconds(seconds));
  }
  if (left_out != 0) text += fmt::format("  ... {} more\n", left_out);
  return text;
}

// "after PASS:" and what is known then, unless it is the same as before.
class pass_log final : public planner::pass_observer {
 public:
  pass_log(const planner::graph_view& graph, std::size_t limit) : graph_(graph), limit_(limit) {}
  void after(std::string_view pass, const std::string& text) override {
    text_ += "after " + std::string(pass) + (text == last_ ? ": the same\n" : ":\n" + text);
    last_ = text;
  }
  [[nodiscard]] const char* label_of(model::buffer_id id) const override {
    return graph_.buffer_label(id);
  }
  [[nodiscard]] std::size_t maximum() const override { return limit_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  const planner::graph_view& graph_;
  std::size_t limit_;
  std::string text_, last_;
};

std::string planned(const show_request& request, const planner::graph_view& graph,
                    const model::topology& topology) {
  pass_log log(graph, request.limit);
  planner::options options;
  options.observer = &log;
  begin_stage("planning");
  static_cast<void>(planned_from(request.graph, request.topology, [&] {
    return planner::make_plan(graph.commands(), graph.buffers(), topology, options);
  }));
  return log.text();
}

std::string text_of(const show_request& request, const executable_file& file) {
  if (!request.plan.empty())
    throw model::user_error(model::error_code::invalid,
                            formats::one_line(request.graph) +
                                ": an executable graph has a plan of its own; name no other one");
  const planner::graph_view graph(file.graph);
  if (request.how == show_request::form::trace)
    return trace_of(request, graph, file.topology, file.plan, {});
  std::string text = request.how == show_request::form::text ? file.summary : std::string();
  text += rendered(request, graph, file.topology, file.plan);
  if (request.passes) text += planned(request, graph, file.topology);
  return text;
}

void put(const show_request& request, const std::string& shown) {
  if (request.how == show_request::form::text)
    put_out_report(request.output, shown);
  else
    put_out(request.output, shown);
}

int show(show_request request) {
  if (request.how == show_request::form::png && request.output.empty() &&
      ::isatty(STDOUT_FILENO) != 0)
    throw model::user_error(
        model::error_code::invalid,
        "show --png writes a picture, which no terminal shows; name a file with -o");
  if (!request.passes) find_graph_of_plan(request.graph, request.plan);
  if (const auto executable = open_executable(request.graph)) {
    put(request, text_of(request, *executable));
    return exit_good;
  }
  if (!request.launches.empty() &&
      (request.how != show_request::form::trace || !request.plan.empty()))
    throw model::user_error(
        model::error_code::invalid,
        "--launches goes with --trace, and tells where commands ran without a plan");
  opened_graph file = open_graph(request.graph);
  const recorder::loaded_graph& loaded = file.loaded;
  const model::topology machine = machine_for(loaded, request.topology);
  std::optional<opened_plan> opened;
  if (!request.plan.empty()) opened = open_plan(request.plan, loaded.graph, machine);
  const planner::graph_view graph =
      opened ? opened->view(loaded.graph) : planner::graph_view(loaded.graph);
  std::optional<planner::plan> plan;
  if (!opened && request.topology.empty()) plan = std::move(file.plan);
  if (opened) plan = std::move(opened->plan);
  if (request.how == show_request::form::trace) {
    if (plan && !is_right(graph, *plan, machine)) return exit_violation;
    // What whole commands took is not what their parts take.
    const bool in_parts = opened && opened->parts;
    put_out(request.output,
            trace_of(request, graph, request.topology.empty() ? recorded_machine(loaded) : machine,
                     plan, in_parts ? recorder::measured_times() : loaded.measured));
    return exit_good;
  }
  begin_stage("drawing");
  const planner::stored_bodies bodies(loaded.graph, loaded.topology,
                                      formats::one_line(request.graph));
  // In parts, commands have other numbers.
  const bool as_recorded = !opened || !opened->parts;
  std::string text =
      rendered(request, graph, machine, plan,
               as_recorded ? bodies.all() : std::vector<planner::graph_of_command>()) +
      measured(request, loaded);
  if (request.passes) text += planned(request, graph, machine);
  put(request, text);
  return exit_good;
}

// A flag for one of the forms, of which one at most is asked for.
void add_form(CLI::App& command, show_request& request, std::vector<CLI::Option*>& forms,
              const char* name, show_request::form form, const char* what) {
  CLI::Option* flag =
      command.add_flag_callback(name, [&request, form] { request.how = form; }, what);
  for (CLI::Option* other : forms) flag->excludes(other);
  forms.push_back(flag);
}

}  // namespace

void add_show(CLI::App& app, int& code) {
  using form = show_request::form;
  auto request = std::make_shared<show_request>();
  CLI::App* command =
      app.add_subcommand("show", "Show a graph, a graph and its plan, or an executable graph");
  add_graph_file(*command, request->graph);
  CLI::Option* plan =
      command
          ->add_option("plan", request->plan, "File of format pianola.plan/1, made for this graph")
          ->check(a_name());
  std::vector<CLI::Option*> forms;
  add_form(*command, *request, forms, "--dot", form::dot, "As DOT, the language of Graphviz");
  add_form(*command, *request, forms, "--svg", form::svg, "As a picture; needs Graphviz");
  add_form(*command, *request, forms, "--png", form::png, "As a picture of pixels; needs Graphviz");
  add_form(*command, *request, forms, "--json", form::json,
           "For programs: pianola.show/1, figures of the graph and the plan");
  add_form(*command, *request, forms, "--trace", form::trace,
           "As a trace that Perfetto and chrome://tracing show: when commands ran, if they were "
           "recorded with times, else when the plan's steps would run");
  command
      ->add_option("--launches", request->launches,
                   "With --trace: file of format pianola.launches/1, when the graph's commands "
                   "ran in each launch; "
                   "where no plan is named, graph-N.launches.json beside graph-N.graph.json")
      ->check(a_name());
  CLI::Option* passes = command->add_flag(
      "--passes", request->passes, "Plan the graph here, and show what is known after each pass");
  passes->excludes(plan);
  for (CLI::Option* f : forms) passes->excludes(f);
  command->add_option("--topology", request->topology, of_machine)->check(a_name());
  add_output_file(*command, request->output);
  add_limit(*command, request->limit,
            "Commands or steps to show at most, and a fifth of the edges that a picture has at "
            "most; 0: all");
  command->footer(
      "Examples:\n  pianola show graph-0.graph.json\n"
      "  pianola show graph-0.graph.json graph-0.plan.json --svg -o plan.svg\n"
      "  pianola show recorded --trace -o trace.json\n"
      "  pianola show graph-0.graph.json --launches graph-0.launches.json --trace\n"
      "  pianola show graph-0.graph.json --passes");
  command->callback([request, &code] { code = show(*request); });
}

}  // namespace pianola::tool
