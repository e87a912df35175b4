// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>

#include "subcommands.hpp"

namespace {

using namespace pianola;

constexpr const char* of_machine =
    "File of format pianola.topology/1: the machine, if it is not the one that the graph was "
    "recorded on";

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

int run(int argc, char** argv) {
  CLI::App app("Looks at the command graphs and plans that Pianola records.", "pianola");
  app.set_version_flag("--version", "pianola " PIANOLA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all is well, 1 the plan is not valid, 2 bad input (one line on standard error "
      "says what and where).");
  int code = tool::exit_good;

  CLI::App* devices = app.add_subcommand(
      "devices", "List the devices that PIANOLA_DEVICES chooses, and why backends are absent");
  devices->callback([&code] { code = tool::devices(); });

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
  show->add_flag("--passes", request.passes,
                 "Plan the graph here, and show what is known after each pass")
      ->excludes(of_graph)
      ->excludes(dot)
      ->excludes(svg);
  show->add_option("--topology", request.topology, of_machine);
  show->add_option("-o,--output", request.output, "File to write instead of standard output");
  show->add_option("--limit", request.limit,
                   "Commands or steps to show at most, and a fifth of the edges that a picture has "
                   "at most; 0: all")
      ->check(CLI::NonNegativeNumber)
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
  verify->callback([&] { code = tool::verify(graph, plan, topology); });

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
  make->callback([&] { code = tool::plan(planning); });

  tool::simulate_request simulation;
  CLI::App* simulate = app.add_subcommand(
      "simulate", "Tell what a plan would take on a machine, which need not be here");
  simulate->add_option("graph", simulation.graph, "File of format pianola.graph/1")->required();
  simulate
      ->add_option("plan", simulation.plan, "File of format pianola.plan/1, made for this graph")
      ->required();
  simulate->add_option("--topology", simulation.topology, of_machine);
  auto* json = simulate->add_flag("--json", simulation.json, "For programs: pianola.simulation/1");
  simulate->add_flag("--timeline", simulation.timeline, "Also when each step runs")->excludes(json);
  simulate->add_option("-o,--output", simulation.output,
                       "File to write instead of standard output");
  simulate->add_option("--limit", simulation.limit, "Steps to show at most; 0: all")
      ->check(CLI::NonNegativeNumber)
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
  calibrate->callback([&] { code = tool::calibrate(calibration); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const bool unknown = app.get_subcommands().empty() && argc > 1;
    throw std::runtime_error((unknown ? std::string("there is no subcommand '") + argv[1] + "'"
                                      : std::string(e.what())) +
                             "; see pianola --help");
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::string reason;
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    reason = "not enough memory for this input";
  } catch (const std::exception& e) {
    reason = e.what();
  }
  std::fprintf(stderr, "pianola: %s\n", formats::one_line(reason).c_str());
  return tool::exit_bad_input;
}
