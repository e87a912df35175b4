// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "calibration/measure.hpp"
#include "command_line/options.hpp"
#include "commands/subcommands.hpp"
#include "inputs/kernel_times.hpp"

namespace pianola::tool {

namespace {

constexpr double whole_seconds = 15, quick_seconds = 2, at_most_seconds = 25;

struct calibrate_request {
  std::string output;
  bool quick = false;
  std::string from;  // folder of recordings; empty: this machine is measured
  std::string into;  // topology that gets the times of recorded kernels; empty: the recordings'
};

int calibrate(const calibrate_request& request) {
  model::topology machine;
  if (!request.into.empty()) {
    if (request.from.empty())
      throw model::user_error(model::error_code::invalid,
                              "--into says where times of recorded kernels go: it needs --from");
    machine = recorder::load_topology(request.into);
  }
  std::vector<std::string> remarks;
  // Before seconds of work for nothing.
  formats::output_file file(request.output);
  if (request.from.empty())
    machine =
        measure_machine(request.quick ? quick_seconds : whole_seconds, at_most_seconds, remarks);
  else
    remarks.push_back(fmt::format("times of kernels in {}: {}", request.output,
                                  add_recorded_times(request.from, machine)));
  file.write(recorder::to_json(machine));
  file.commit();
  for (const std::string& r : remarks)
    std::fprintf(stderr, "pianola: %s\n", formats::one_line(r).c_str());
  return exit_good;
}

}  // namespace

void add_calibrate(CLI::App& app, int& code) {
  auto request = std::make_shared<calibrate_request>();
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Measure this machine, or what recorded kernels took, for planning and simulation");
  command->add_option("-o,--output", request->output, "File of format pianola.topology/1 to write")
      ->required()
      ->check(a_name());
  auto* quick = command->add_flag("--quick", request->quick, "In 2 seconds instead of 15");
  command
      ->add_option(
          "--from", request->from,
          "Folder of a run with PIANOLA_RECORD and PIANOLA_RECORD_TIMES=on: take the times "
          "of kernels from it, and measure nothing")
      ->excludes(quick)
      ->check(a_name());
  command
      ->add_option("--into", request->into,
                   "File of format pianola.topology/1 to add those times to, instead of the "
                   "machine of the recordings")
      ->check(a_name());
  add_json_anyway(*command, "pianola.topology/1");
  command->footer(
      "Examples:\n  pianola calibrate -o machine.json\n"
      "  pianola calibrate --from recorded -o machine.json");
  command->callback([request, &code] { code = calibrate(*request); });
}

}  // namespace pianola::tool
