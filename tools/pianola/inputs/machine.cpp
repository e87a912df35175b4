// SPDX-License-Identifier: Apache-2.0
#include "inputs/machine.hpp"

#include <fmt/format.h>

#include <pianola/model/error.hpp>
#include <pianola/recorder/topology_json.hpp>

namespace pianola::tool {

model::topology machine_for(const recorder::loaded_graph& graph, const std::string& path) {
  if (path.empty()) return graph.topology;
  model::topology machine = recorder::load_topology(path);
  const auto refuse = [&path](std::size_t command, const char* what, std::size_t id,
                              std::size_t count) {
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("{}: /{}: command {} of the graph needs {}{}, and there are {}", path, what,
                    command, what[0] == 'd' ? "device " : "memory ", id, count));
  };
  const auto& commands = graph.graph.commands();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const model::command& c = commands[i];
    if (c.device.valid() && c.device.value() >= machine.devices.size())
      refuse(i, "devices", c.device.value(), machine.devices.size());
    for (const model::device_id d : c.candidates)
      if (d.value() >= machine.devices.size())
        refuse(i, "devices", d.value(), machine.devices.size());
    for (const model::requirement& r : c.requirements)
      if (r.memory.valid() && r.memory.value() >= machine.memories.size())
        refuse(i, "memories", r.memory.value(), machine.memories.size());
  }
  return machine;
}

}  // namespace pianola::tool
