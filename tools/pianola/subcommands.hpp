// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pianola/planner/options.hpp>

namespace CLI {
class App;
}

namespace pianola::tool {

// Exit codes: 0 all is well, 1 the answer is no, 2 bad input or an environment that does not
// allow what was asked for. Subcommands report the last by exceptions.
inline constexpr int exit_good = 0;
inline constexpr int exit_violation = 1;
inline constexpr int exit_bad_input = 2;

// Lists the devices that a program would see with this PIANOLA_DEVICES, and absent backends with the
// reason.
int devices(bool json);

struct show_request {
  enum class form { text, dot, svg, png, json, trace };
  std::string graph;
  std::string plan;      // empty: the graph alone
  std::string output;    // empty: standard output
  std::string topology;  // empty: the graph's
  form how = form::text;
  bool passes =
      false;  // plan the graph, and show what is known after each pass; as text, without `plan`
  std::size_t limit = 400;  // commands or steps shown; 0: all
};
int show(const show_request&);

// Checks the plan against the graph, independently of how it was made. `topology`: empty for the graph's. No plan: the
// graph is an executable one.
int verify(const std::string& graph, const std::string& plan, const std::string& topology,
           bool json);

// Whether kernels run in parts on several devices: where the graph comes to less then by the objective, or wherever they can.
enum class splitting : std::uint8_t { never, where_it_pays, always };

struct plan_request {
  std::string graph;
  std::string topology;  // empty: the graph's
  std::string output;    // empty: standard output
  planner::options options;
  splitting split = splitting::never;
};
// Plans the graph, also for a machine that is not here.
int plan(const plan_request&);

struct simulate_request {
  std::string graph;
  std::string plan;
  std::string topology;  // empty: the graph's
  std::string output;    // empty: standard output
  bool json = false;
  bool timeline = false;
  bool trace = false;
  std::size_t limit = 400;  // steps shown; 0: all
};
// Tells what the plan would take on the machine.
int simulate(const simulate_request&);

struct calibrate_request {
  std::string output;
  bool quick = false;
  std::string from;  // folder of recordings; empty: this machine is measured
  std::string
      into;  // topology that gets the times of recorded kernels; empty: that of the recordings
};
// Writes what this machine, or what recorded kernels, were measured to take.
int calibrate(const calibrate_request&);

// Subcommands that say themselves what they take; `code` is set when they have run.
void add_view(CLI::App& app, int& code);
void add_explain(CLI::App& app, int& code);
void add_advise(CLI::App& app, int& code);
void add_diff(CLI::App& app, int& code);
void add_check(CLI::App& app, int& code);
// `program`: what follows --, with its arguments.
void add_record(CLI::App& app, int& code, std::vector<std::string> program);
// Comes last: it tells of those before it, too.
void add_completion(CLI::App& app, int& code, const std::string& version);

// Writes to standard output; throws model::user_error if that fails.
void print(const std::string& text);
// To the file, or to standard output if that has no name.
void put_out(const std::string& output, const std::string& text);

}  // namespace pianola::tool
