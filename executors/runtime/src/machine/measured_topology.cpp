// SPDX-License-Identifier: Apache-2.0
#include "machine/measured_topology.hpp"

#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/cost/links.hpp>
#include <pianola/recorder/topology_json.hpp>

namespace pianola::runtime {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw model::user_error(model::error_code::invalid,
                          fmt::format("PIANOLA_TOPOLOGY='{}': {}", path, reason));
}

std::string named(const model::device_description& d) {
  return fmt::format("'{}' ({})", formats::one_line(d.name, 60), formats::one_line(d.backend, 20));
}

model::topology load(const std::string& path) {
  try {
    return recorder::load_topology(path);
  } catch (const model::user_error& e) {
    refuse(path, e.what());
  }
}

}  // namespace

void take_measured(model::topology& machine) {
  const char* const variable = std::getenv("PIANOLA_TOPOLOGY");
  if (variable == nullptr || *variable == '\0') return;
  const std::string path = variable;
  const model::topology measured = load(path);
  const std::size_t count = machine.devices.size();
  if (measured.devices.size() != count)
    refuse(path, fmt::format("it is of {} devices, and there are {}; measure these with `pianola "
                             "calibrate` and the same PIANOLA_DEVICES",
                             measured.devices.size(), count));
  for (std::size_t d = 0; d < count; ++d) {
    const model::device_description &here = machine.devices[d], &there = measured.devices[d];
    if (here.name != there.name || here.backend != there.backend || here.memory != there.memory)
      refuse(path, fmt::format("device {} of it is {}, here it is {}; measure these with `pianola "
                               "calibrate` and the same PIANOLA_DEVICES",
                               d, named(there), named(here)));
  }
  for (std::size_t d = 0; d < count; ++d) machine.devices[d].speed = measured.devices[d].speed;
  const planner::connections known(measured);
  for (model::link_description& l : machine.links)
    if (const std::uint32_t at = known.link(l.from, l.to); at != planner::connections::none)
      l = measured.links[at];
  machine.kernel_times = measured.kernel_times;
}

}  // namespace pianola::runtime
