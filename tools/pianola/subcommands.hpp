// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <pianola/planner/options.hpp>

namespace pianola::tool {

// Exit codes: 0 all is well, 1 the plan is not valid, 2 bad input or an environment that does not
// allow what was asked for. Subcommands report the last by exceptions.
inline constexpr int exit_good = 0;
inline constexpr int exit_violation = 1;
inline constexpr int exit_bad_input = 2;

// Lists the devices that a program would see with this PIANOLA_DEVICES, and absent backends with the
// reason.
int devices();

struct show_request {
  enum class form { text, dot, svg };
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
int verify(const std::string& graph, const std::string& plan, const std::string& topology);

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

// Writes to standard output; throws model::user_error if that fails.
void print(const std::string& text);

}  // namespace pianola::tool
