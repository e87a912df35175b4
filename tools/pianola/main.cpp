// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>

#include "nearest_word.hpp"
#include "options.hpp"
#include "stages.hpp"
#include "subcommands.hpp"

namespace {

using namespace pianola;
using tool::of_machine;

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

const std::map<std::string, tool::splitting> splittings = {
    {"never", tool::splitting::never},
    {"where_it_pays", tool::splitting::where_it_pays},
    {"always", tool::splitting::always}};

// Takes the words of the table, and nothing else: CLI11's own would take the numbers behind them as well.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& words) {
  return CLI::Validator(
      [&words](std::string& word) {
        const auto found = words.find(word);
        if (found == words.end()) {
          std::string known;
          for (const auto& entry : words) known += (known.empty() ? "" : ", ") + entry.first;
          return "'" + word + "' is none of " + known;
        }
        word = std::to_string(static_cast<unsigned>(found->second));
        return std::string();
      },
      "");
}

// What follows -- is another program's, whatever it looks like.
std::vector<std::string> cut_program(int& argc, char** argv) {
  if (argc < 2 || std::string(argv[1]) != "record") return {};
  for (int i = 2; i < argc; ++i)
    if (std::string(argv[i]) == "--") {
      std::vector<std::string> words(argv + i + 1, argv + argc);
      argc = i;
      return words;
    }
  return {};
}

std::string unknown_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* s : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(s->get_name());
  const std::string meant = tool::nearest_word(word, known);
  return "there is no subcommand '" + word + "'" +
         (meant.empty() ? std::string() : "; did you mean '" + meant + "'?");
}

// The subcommand that was named, with a blank behind it.
std::string asked_of(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? "" : named.front()->get_name() + " ";
}

int run(int argc, char** argv) {
  CLI::App app("Looks at the command graphs and plans that Pianola records.", "pianola");
  app.set_version_flag("--version", "pianola " PIANOLA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all is well, 1 the answer is no (the plan is not valid, check has found "
      "something, a\ncondition of diff holds), 2 bad input (one line on standard error says what "
      "and where). record ends as the\nprogram does that it runs.\n\nExamples:\n"
      "  pianola record -o recorded -- ./app\n"
      "  pianola show recorded/graph-0.graph.json recorded/graph-0.plan.json\n"
      "  pianola advise recorded/graph-0.graph.json\n"
      "  pianola explain recorded/graph-0.graph.json --transfer 17");
  int code = tool::exit_good;

  CLI::App* devices = app.add_subcommand(
      "devices", "List the devices that PIANOLA_DEVICES chooses, and why backends are absent");
  bool devices_json = false;
  devices->add_flag("--json", devices_json, "For programs: pianola.devices/1");
  devices->footer("Examples:\n  PIANOLA_DEVICES=openmp,simulated:2 pianola devices");
  devices->callback([&] { code = tool::devices(devices_json); });

  tool::show_request request;
  CLI::App* show =
      app.add_subcommand("show", "Show a graph, a graph and its plan, or an executable graph");
  show->add_option("graph", request.graph,
                   "File of format pianola.graph/1, or an executable graph (pianola.executable/2)")
      ->required();
  auto* of_graph =
      show->add_option("plan", request.plan, "File of format pianola.plan/1, made for this graph");
  auto* dot = show->add_flag_callback(
      "--dot", [&request] { request.how = tool::show_request::form::dot; },
      "As DOT, the language of Graphviz");
  auto* svg = show->add_flag_callback(
                      "--svg", [&request] { request.how = tool::show_request::form::svg; },
                      "As a picture; needs Graphviz")
                  ->excludes(dot);
  auto* png = show->add_flag_callback(
                      "--png", [&request] { request.how = tool::show_request::form::png; },
                      "As a picture of pixels; needs Graphviz")
                  ->excludes(dot)
                  ->excludes(svg);
  auto* show_json = show->add_flag_callback(
                            "--json", [&request] { request.how = tool::show_request::form::json; },
                            "For programs: pianola.show/1, figures of the graph and the plan")
                        ->excludes(dot)
                        ->excludes(svg)
                        ->excludes(png);
  auto* trace = show->add_flag_callback(
                        "--trace", [&request] { request.how = tool::show_request::form::trace; },
                        "As a trace that Perfetto and chrome://tracing show: when commands ran, if "
                        "they were recorded with times, else when the plan's steps would run")
                    ->excludes(dot)
                    ->excludes(svg)
                    ->excludes(png)
                    ->excludes(show_json);
  show->add_flag("--passes", request.passes,
                 "Plan the graph here, and show what is known after each pass")
      ->excludes(of_graph)
      ->excludes(dot)
      ->excludes(svg)
      ->excludes(png)
      ->excludes(trace)
      ->excludes(show_json);
  show->footer(
      "Examples:\n  pianola show graph-0.graph.json\n"
      "  pianola show graph-0.graph.json graph-0.plan.json --svg -o plan.svg\n"
      "  pianola show recorded --trace -o trace.json\n"
      "  pianola show graph-0.graph.json --passes");
  show->add_option("--topology", request.topology, of_machine);
  show->add_option("-o,--output", request.output, "File to write instead of standard output");
  show->add_option("--limit", request.limit,
                   "Commands or steps to show at most, and a fifth of the edges that a picture has "
                   "at most; 0: all")
      ->check(tool::a_number())
      ->capture_default_str();
  show->callback([&] { code = tool::show(request); });

  std::string graph, plan, topology;
  CLI::App* verify = app.add_subcommand("verify", "Check a plan against its graph");
  verify
      ->add_option("graph", graph,
                   "File of format pianola.graph/1, or an executable graph (pianola.executable/2)")
      ->required();
  verify->add_option("plan", plan,
                     "File of format pianola.plan/1; an executable graph has its own");
  verify->add_option("--topology", topology, of_machine);
  bool verify_json = false;
  verify->add_flag("--json", verify_json, "For programs: pianola.verification/1");
  verify->footer(
      "Exit codes: 0 the plan is right, 1 it is not, 2 bad input.\n\nExamples:\n"
      "  pianola verify graph-0.graph.json graph-0.plan.json\n"
      "  pianola verify app.pexe --json");
  verify->callback([&] { code = tool::verify(graph, plan, topology, verify_json); });

  tool::plan_request planning;
  CLI::App* make = app.add_subcommand("plan", "Plan a graph, also for a machine that is not here");
  make->add_option("graph", planning.graph, "File of format pianola.graph/1")->required();
  make->add_option("--topology", planning.topology, of_machine);
  make->add_option("--objective", planning.options.objective, "What is to be small")
      ->transform(one_of(objectives))
      ->type_name("makespan|bytes|memory");
  make->add_option("--place", planning.options.place,
                   "Who decides where commands run that may run on several devices")
      ->transform(one_of(placings))
      ->type_name("as_submitted|anywhere|list|heft|exact|refined");
  make->add_flag("--split{always}", planning.split,
                 "Kernels whose accesses are known run in parts on several devices: where they can "
                 "(always, if nothing is said), or where_it_pays by the objective; commands are "
                 "placed anywhere then, unless --place says otherwise")
      ->transform(one_of(splittings))
      ->type_name("never|where_it_pays|always");
  make->add_option("-o,--output", planning.output, "File to write instead of standard output");
  bool json_anyway = true;
  make->add_flag("--json", json_anyway, "What is written is JSON anyway: pianola.plan/1");
  make->footer(
      "Examples:\n  pianola plan graph-0.graph.json -o graph-0.plan.json\n"
      "  pianola plan graph-0.graph.json --topology machine.json --place anywhere");
  make->callback([&] { code = tool::plan(planning); });

  tool::simulate_request simulation;
  CLI::App* simulate = app.add_subcommand(
      "simulate", "Tell what a plan would take on a machine, which need not be here");
  simulate
      ->add_option(
          "graph", simulation.graph,
          "File of format pianola.graph/1, or the recording of a run: a folder or a journal")
      ->required();
  simulate->add_option(
      "plan", simulation.plan,
      "File of format pianola.plan/1, made for this graph; a recording has the one "
      "that ran");
  simulate->add_option("--topology", simulation.topology, of_machine);
  auto* json = simulate->add_flag("--json", simulation.json, "For programs: pianola.simulation/1");
  auto* timeline = simulate->add_flag("--timeline", simulation.timeline, "Also when each step runs")
                       ->excludes(json);
  simulate
      ->add_flag("--trace", simulation.trace,
                 "When each step runs, and what waits for what, as a trace that Perfetto and "
                 "chrome://tracing show")
      ->excludes(json)
      ->excludes(timeline);
  simulate->footer(
      "Examples:\n  pianola simulate graph-0.graph.json graph-0.plan.json --timeline\n"
      "  pianola simulate graph-0.graph.json graph-0.plan.json --trace -o trace.json");
  simulate->add_option("-o,--output", simulation.output,
                       "File to write instead of standard output");
  simulate->add_option("--limit", simulation.limit, "Steps to show at most; 0: all")
      ->check(tool::a_number())
      ->capture_default_str();
  simulate->callback([&] { code = tool::simulate(simulation); });

  tool::calibrate_request calibration;
  CLI::App* calibrate = app.add_subcommand(
      "calibrate",
      "Measure this machine, or what recorded kernels took, for planning and simulation");
  calibrate
      ->add_option("-o,--output", calibration.output, "File of format pianola.topology/1 to write")
      ->required();
  auto* quick = calibrate->add_flag("--quick", calibration.quick, "In 2 seconds instead of 15");
  calibrate
      ->add_option(
          "--from", calibration.from,
          "Folder of a run with PIANOLA_RECORD and PIANOLA_RECORD_TIMES=on: take the times "
          "of kernels from it, and measure nothing")
      ->excludes(quick);
  calibrate->add_option("--into", calibration.into,
                        "File of format pianola.topology/1 to add those times to, instead of the "
                        "machine of the recordings");
  calibrate->add_flag("--json", json_anyway, "What is written is JSON anyway: pianola.topology/1");
  calibrate->footer(
      "Examples:\n  pianola calibrate -o machine.json\n"
      "  pianola calibrate --from recorded -o machine.json");
  calibrate->callback([&] { code = tool::calibrate(calibration); });

  tool::add_view(app, code);
  tool::add_explain(app, code);
  tool::add_advise(app, code);
  tool::add_diff(app, code);
  tool::add_check(app, code);
  tool::add_record(app, code, cut_program(argc, argv));
  tool::add_completion(app, code, PIANOLA_VERSION);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      app.exit(e);
      if (std::cout.flush(); !std::cout)
        throw std::runtime_error("standard output cannot be written to");
      return tool::exit_good;
    }
    const bool unknown = app.get_subcommands().empty() && argc > 1;
    throw std::runtime_error((unknown ? unknown_subcommand(app, argv[1]) : std::string(e.what())) +
                             "; see pianola " + asked_of(app) + "--help");
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // Graphs of many commands have large lists, made and dropped again and again: their memory is kept rather than given
  // back to the system and asked for again.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::string reason;
  try {
    const int code = run(argc, argv);
    tool::end_stages();
    return code;
  } catch (const std::bad_alloc&) {
    reason = "not enough memory for this input";
  } catch (const std::exception& e) {
    reason = e.what();
  }
  tool::end_stages();
  std::fprintf(stderr, "pianola: %s\n", formats::one_line(reason).c_str());
  return tool::exit_bad_input;
}
