// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>

#include "subcommands.hpp"

namespace {

using namespace pianola;

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
                   "File of format pianola.graph/1, or an executable graph (pianola.executable/1)")
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
  show->add_option("-o,--output", request.output, "File to write instead of standard output");
  show->add_option("--limit", request.limit,
                   "Commands or steps to show at most, and a fifth of the edges that a picture has "
                   "at most; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  show->callback([&] { code = tool::show(request); });

  std::string graph, plan;
  CLI::App* verify = app.add_subcommand("verify", "Check a plan against its graph");
  verify
      ->add_option("graph", graph,
                   "File of format pianola.graph/1, or an executable graph (pianola.executable/1)")
      ->required();
  verify->add_option("plan", plan,
                     "File of format pianola.plan/1; an executable graph has its own");
  verify->callback([&] { code = tool::verify(graph, plan); });

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
