// SPDX-License-Identifier: Apache-2.0
#include "place_commands.hpp"

#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "cost/routes.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "pianola/planner/placement.hpp"

namespace pianola::planner {

namespace {

[[noreturn]] void refuse(std::size_t command, const std::string& what) {
  throw model::user_error(model::error_code::invalid, fmt::format("command {} {}", command, what));
}

model::device_id device_of(const model::command& c, std::size_t i, const window& window,
                           const planning_state::implementation& state) {
  if (c.device.valid()) return c.device;
  if (c.lane.valid() && !window.recorded) return state.lanes[c.lane.value()].device;
  if (std::holds_alternative<model::host_access_command>(c.payload))
    return state.transferring.of(model::host_memory, model::host_memory);
  refuse(i, "names no device; give it the device of its queue");
}

// All at once, by what the whole comes to.
void choose_devices(window& window, const planning_state::implementation& state) {
  std::vector<model::buffer_info> buffers;
  for (const buffer_state& b : state.buffers) buffers.push_back(b.info);
  chosen_placement& chosen = *window.chosen;
  if (chosen.devices.empty())
    chosen = choose_placement(window.commands, buffers, *window.machine, *window.wanted);
  window.planned_order = chosen.order;
  for (std::size_t i = 0; i < window.commands.size(); ++i) {
    if (window.commands[i].candidates.empty()) continue;
    window.places[i].device = chosen.devices[i];
    window.places[i].memory = window.machine->memory_of(chosen.devices[i]);
  }
}

// Of a window that goes on from the live state, each by itself: the planner does not know what devices are at.
void choose_device(window& window, const planning_state& state, const machine_costs& costs,
                   std::size_t i) {
  const model::command& c = window.commands[i];
  double best = 0;
  for (const model::device_id d : c.candidates) {
    const double end = end_on(c, state, costs, d, 0);
    if (d != c.candidates[0] && end >= best) continue;
    best = end;
    window.places[i] = {d, window.machine->memory_of(d)};
  }
}

}  // namespace

void place_commands(window& window, planning_state& state) {
  planning_state::implementation& im = state.internals();
  const model::topology& machine = *window.machine;
  // A machine never changes, but another may be where one was.
  const std::tuple known(&machine, machine.memories.size(), machine.devices.size(),
                         machine.links.size());
  if (im.linked != known) {
    check_memories(machine);
    connections links(machine);
    check_links(machine, links);
    im.links = std::move(links);
    im.transferring = transfer_devices(machine);
    im.linked = known;
  }
  const bool free = window.wanted->place != placing::as_submitted;
  bool choice = false;
  const std::size_t n = window.commands.size();
  window.places.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const model::command& c = window.commands[i];
    if (c.lane.valid() && !window.recorded && c.lane.value() >= im.lanes.size())
      refuse(i, fmt::format("names lane {}, which does not exist", c.lane.value()));
    placement place;
    place.device = device_of(c, i, window, im);
    if (place.device.value() >= machine.devices.size())
      refuse(i, fmt::format("names device {}, but there are only {}", place.device.value(),
                            machine.devices.size()));
    place.memory = std::holds_alternative<model::host_access_command>(c.payload)
                       ? model::host_memory
                       : machine.memory_of(place.device);
    for (const model::requirement& r : c.requirements) {
      if (!im.knows(r.buffer)) refuse(i, "needs a buffer that does not exist or is gone");
      if (!contains(model::box::of(im.at(r.buffer).info.grid.range()), r.elements))
        refuse(i,
               fmt::format("needs elements outside of the range of buffer {}", r.buffer.value()));
      if (r.memory.valid() && r.memory.value() >= machine.memories.size())
        refuse(i, fmt::format("needs data in memory {}, which does not exist", r.memory.value()));
    }
    const std::uint64_t limit = window.relative ? i : window.first;
    for (std::uint64_t after : c.after)
      if (after >= limit)
        refuse(i, fmt::format("is to run after {}{}, which does not come before it",
                              window.relative ? "command " : "step ", after));
    window.places.push_back(place);
    choice = choice || (free && !c.candidates.empty());
    if (free && !window.recorded)
      for (const model::device_id d : c.candidates)
        if (d.value() >= machine.devices.size())
          refuse(i, fmt::format("may run on device {}, which does not exist", d.value()));
  }
  if (!choice) return;
  if (window.recorded) {
    choose_devices(window, im);
    return;
  }
  const machine_costs costs(machine);
  for (std::size_t i = 0; i < n; ++i)
    if (!window.commands[i].candidates.empty()) choose_device(window, state, costs, i);
}

}  // namespace pianola::planner
