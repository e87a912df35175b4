// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/text.hpp>

#include "command_line/nearest_word.hpp"
#include "commands/subcommands.hpp"
#include "outputs/stages.hpp"

namespace {

using namespace pianola;

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
  return fmt::format("there is no subcommand '{}'{}", word,
                     meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant));
}

// The subcommand that was named, with a blank behind it.
std::string asked_of(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? "" : named.front()->get_name() + " ";
}

// The first of the words that it does not know.
bool begins_with_option(const CLI::App& subcommand) {
  const std::vector<std::string> unknown = subcommand.remaining();
  return !unknown.empty() && unknown.front().starts_with('-');
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

  tool::add_devices(app, code);
  tool::add_show(app, code);
  tool::add_verify(app, code);
  tool::add_plan(app, code);
  tool::add_simulate(app, code);
  tool::add_calibrate(app, code);
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
    const bool program_too_early = asked_of(app) == "record " &&
                                   dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr &&
                                   !begins_with_option(*app.get_subcommands().front());
    throw std::runtime_error(fmt::format(
        "{}; see pianola {}--help",
        unknown             ? unknown_subcommand(app, argv[1])
        : program_too_early ? "the program and its arguments go behind --, as in record -- ./app"
                            : std::string(e.what()),
        asked_of(app)));
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
