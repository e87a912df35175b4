// SPDX-License-Identifier: Apache-2.0
#include "place_commands.hpp"

#include <string>

#include <pianola/model/error.hpp>

#include "cost/routes.hpp"

namespace pianola::planner {

namespace {

[[noreturn]] void refuse(std::size_t command, const std::string& what) {
  throw model::user_error(model::error_code::invalid,
                          "command " + std::to_string(command) + " " + what);
}

model::device_id device_of(const model::command& c, std::size_t i, const window& window,
                           const planning_state::implementation& state) {
  if (c.device.valid()) return c.device;
  if (c.lane.valid() && !window.recorded) return state.lanes[c.lane.value()].device;
  if (std::holds_alternative<model::host_access_command>(c.payload))
    return device_for_transfer(*window.machine, model::host_memory, model::host_memory);
  refuse(i, "names no device; give it the device of its queue");
}

}  // namespace

void place_commands(window& window, planning_state& state) {
  planning_state::implementation& im = state.internals();
  const model::topology& machine = *window.machine;
  if (im.linked_memories != machine.memories.size()) {
    check_links(machine);
    im.linked_memories = machine.memories.size();
  }
  const std::size_t n = window.commands.size();
  window.places.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const model::command& c = window.commands[i];
    if (c.lane.valid() && !window.recorded && c.lane.value() >= im.lanes.size())
      refuse(i, "names lane " + std::to_string(c.lane.value()) + ", which does not exist");
    placement place;
    place.device = device_of(c, i, window, im);
    if (place.device.value() >= machine.devices.size())
      refuse(i, "names device " + std::to_string(place.device.value()) + ", but there are only " +
                    std::to_string(machine.devices.size()));
    place.memory = std::holds_alternative<model::host_access_command>(c.payload)
                       ? model::host_memory
                       : machine.memory_of(place.device);
    for (const model::requirement& r : c.requirements) {
      if (!im.knows(r.buffer)) refuse(i, "needs a buffer that does not exist or is gone");
      if (!contains(model::box::of(im.at(r.buffer).info.grid.range()), r.elements))
        refuse(i,
               "needs elements outside of the range of buffer " + std::to_string(r.buffer.value()));
      if (r.memory.valid() && r.memory.value() >= machine.memories.size())
        refuse(i, "needs data in memory " + std::to_string(r.memory.value()) +
                      ", which does not exist");
    }
    const std::uint64_t limit = window.relative ? i : window.first;
    for (std::uint64_t after : c.after)
      if (after >= limit)
        refuse(i, "is to run after " + std::string(window.relative ? "command " : "step ") +
                      std::to_string(after) + ", which does not come before it");
    window.places.push_back(place);
  }
}

}  // namespace pianola::planner
