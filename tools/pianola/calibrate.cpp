// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/recorder/topology_json.hpp>

#include "calibration/kernel_times.hpp"
#include "calibration/measure.hpp"
#include "subcommands.hpp"

namespace pianola::tool {

namespace {

constexpr double whole_seconds = 15, quick_seconds = 2, at_most_seconds = 25;

}  // namespace

int calibrate(const calibrate_request& request) {
  model::topology machine;
  if (!request.into.empty()) {
    if (request.from.empty())
      throw model::user_error(model::error_code::invalid,
                              "--into says where times of recorded kernels go: it needs --from");
    machine = recorder::load_topology(request.into);
  }
  std::vector<std::string> remarks;
  if (request.from.empty())
    machine =
        measure_machine(request.quick ? quick_seconds : whole_seconds, at_most_seconds, remarks);
  else
    remarks.push_back("times of kernels in " + request.output + ": " +
                      std::to_string(add_recorded_times(request.from, machine)));
  formats::write_file(request.output, recorder::to_json(machine));
  for (const std::string& r : remarks)
    std::fprintf(stderr, "pianola: %s\n", formats::one_line(r).c_str());
  return exit_good;
}

}  // namespace pianola::tool
