// SPDX-License-Identifier: Apache-2.0
#include "inputs/kernel_times.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/cost/fit.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "inputs/opened_graph.hpp"
#include "inputs/recording_folder.hpp"

namespace pianola::tool {

namespace {

using key = std::pair<model::kernel_id, model::device_id>;
using samples = std::map<key, std::vector<planner::time_sample>>;

[[noreturn]] void refuse(const std::string& reason) {
  throw model::user_error(model::error_code::invalid, reason);
}

std::vector<recorded_file> recordings_with_times(const std::string& folder) {
  const std::string name = formats::one_line(folder);
  std::error_code failed;
  const std::filesystem::directory_iterator entries(folder, failed);
  if (failed) refuse(fmt::format("{}: {}", name, failed.message()));
  if (std::vector<recorded_file> files = find_recordings(folder); !files.empty()) return files;
  refuse(
      fmt::format("{}: there is no recording (*.graph.json, *.journal); run the program with "
                  "PIANOLA_RECORD={} PIANOLA_RECORD_TIMES=on",
                  name, name));
}

bool same_devices(const model::topology& a, const model::topology& b) {
  return std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(), b.devices.end(),
                    [](const model::device_description& x, const model::device_description& y) {
                      return x.name == y.name && x.backend == y.backend && x.memory == y.memory;
                    });
}

void collect(const recorder::command_graph& graph, const recorder::measured_times& measured,
             samples& all) {
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const model::command& c = graph.command(model::command_id(i));
    const auto* const kernel = std::get_if<model::kernel_command>(&c.payload);
    const double seconds = measured.of(model::command_id(i));
    if (kernel == nullptr || seconds == 0 || !c.device.valid()) continue;
    all[{kernel->id, c.device}].push_back(
        {static_cast<double>(kernel->geometry.launched().count()), seconds});
  }
}

void add_lines(samples all, model::topology& machine) {
  std::map<key, model::kernel_time> times;
  for (const model::kernel_time& t : machine.kernel_times) times[{t.kernel, t.device}] = t;
  for (auto& [of, found] : all) {
    const planner::time_line line = planner::fit_times(std::move(found));
    times[of] = {of.first, of.second, line.start, line.per_unit};
  }
  machine.kernel_times.clear();
  for (const auto& [of, time] : times) machine.kernel_times.push_back(time);
}

}  // namespace

std::size_t add_recorded_times(const std::string& folder, model::topology& machine) {
  samples all;
  for (const recorded_file& file : recordings_with_times(folder)) {
    const recorder::loaded_graph graph = open_graph(file.graph).loaded;
    if (machine.devices.empty()) machine = graph.topology;
    if (!same_devices(machine, graph.topology))
      refuse(formats::one_line(file.graph) +
             ": /topology/devices: the recording is of other devices than the machine");
    collect(graph.graph, graph.measured, all);
  }
  if (all.empty())
    refuse(formats::one_line(folder) +
           ": no kernel in the recordings was timed; record the run with PIANOLA_RECORD_TIMES=on");
  add_lines(std::move(all), machine);
  return machine.kernel_times.size();
}

std::size_t add_recorded_times(const recorder::command_graph& graph,
                               const recorder::measured_times& measured, model::topology& machine) {
  samples all;
  collect(graph, measured, all);
  const std::size_t count = all.size();
  add_lines(std::move(all), machine);
  return count;
}

}  // namespace pianola::tool
